### Why `drivetrain clean` keeps something.

clean-removes = `drivetrain clean` removes it
clean-removes-why = { $why }; `drivetrain clean { $path }` removes it
clean-no-run = { $notebook } knows no run that it belongs to
clean-used-again = run { $run } made it and later runs use it again; `drivetrain clean { $path }` removes it
clean-other-run = no run of this notebook; `drivetrain clean { $path }` removes it
