### Why two runs are not compared, and what was found to differ between them.

refusal = { $run } is not compared with { $baseline }:
refusal-name-treatment = compare runs of the same experiment, or name the intended differences: --treat { $names }
refusal-nothing = nothing
refusal-same-run = run { $run } is the baseline itself, and no run is compared with itself; if you meant a newer run, it was not recorded: look with `drivetrain ls`
refusal-copied-run = run { $run }, a copy of run { $base }, is the baseline itself, and no run is compared with itself; if you meant a newer run, it was not recorded: look with `drivetrain ls`
refusal-not-finished =
    { $cells ->
        [one] { $run } is not finished ({ $state }, { $ended } of { $cells } cell): complete it with `drivetrain resume { $id }`
       *[other] { $run } is not finished ({ $state }, { $ended } of { $cells } cells): complete it with `drivetrain resume { $id }`
    }
# `$what` is one of the four after it.
refusal-missing = { $what } is in { $run } and not in { $other }
refusal-bed = the bed `{ $bed }`
refusal-workload = the workload `{ $workload }`
refusal-level = { $workload } at { $at }
refusal-level-on-bed = { $at } on `{ $bed }`
refusal-no-valid-cell = { $run } has no valid cell of { $workload } at { $at } on `{ $bed }`
refusal-no-valid-cell-first = { $run } has no valid cell of { $workload } at { $at } on `{ $bed }` ({ $invalid } invalid, the first: { $first })

## Values that differ.

alike-another-text = another text
alike-unreadable-text = a text that this version cannot read
alike-imported-text = an imported result, which has no experiment
alike-own-log = a drive of its own
alike-log-with-data = on the data's drive
alike-numbers = { $count } other numbers, the first { $first } { $value }
alike-not-recorded-either = not recorded either, so it is not known whether they are the same
alike-emulated = emulated { $name }
alike-emulated-unknown = emulated { $name }, its numbers not recorded
alike-drive-unknown = { $storage }, its drive not recorded
alike-storage-on = { $storage } on { $below }
