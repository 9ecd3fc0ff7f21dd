### Why `drivetrain clean` keeps something.

clean-removes = `drivetrain clean` removes it
clean-removes-why = { $why }; `drivetrain clean { $path }` removes it
clean-away = its file system was unmounted under the run; mount it again, then `drivetrain clean` removes it
clean-moved = it was moved from { $from } under its run; move it back, then `drivetrain clean` removes it, or delete it yourself
clean-in-place = { $what } is in the place of the run's directory, and drivetrain did not make it; nothing was touched. Move it away and the run's own directory back, then repeat
clean-in-place-link = a link to { $target }
clean-in-place-directory = a directory without drivetrain's mark
clean-in-place-file = a file
clean-in-place-other = a device, pipe or socket
clean-no-run = { $notebook } records no run that owns it
clean-used-again = run { $run } made it and later runs reuse it; `drivetrain clean { $path }` removes it
clean-other-run = it belongs to no run of this notebook, maybe to one of another; `drivetrain clean { $path }` removes it
resume-of-another-program = it was measured by { $program } and imported; drivetrain cannot continue it
resume-imported = it was imported from { $owner }, which owns its data; resume it there (`--notebook { $owner }`), then remove it here (`drivetrain rm`) and import it again
resume-single = it is the result of one command, not of an experiment, so there is nothing to resume; repeat the command for another run: { $command }
resume-no-cell = it has no cell { $cell }: its cells count from 1 to { $cells }
resume-foreign-cell = its stored experiment has no place for its cell { $cell }
resume-has-repeats =
    { $repeats ->
        [one] it has { $repeats } repeat or more already
       *[other] it has { $repeats } repeats or more already
    }
resume-other-size = it was measured by { $was } ranks, and { $is } are given; give as many hosts
