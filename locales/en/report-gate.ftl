### Answers of a gate: a run judged by a baseline.

gate-reason = { $place }: { $value } of the baseline ({ $interval }, { $above } + { $below } cells), { $verdict }; { $settles }
gate-place = { $metric } of { $workload } at { $at } on { $bed }
gate-hint = { $verdict } so far: a hint, no finding
gate-not-worse = not worse
gate-smallest-effect = the smallest effect is { $smallest }
gate-more-repeats =
    { $more ->
        [one] about { $more } more repeat in each run would show a loss or exclude it ({ $repeats } in all)
       *[other] about { $more } more repeats in each run would show a loss or exclude it ({ $repeats } in all)
    }
gate-no-repeats-settle = not even 500 more repeats would show a loss or exclude it: the difference is too near the smallest effect for its noise
gate-disturbed = no finding: other programs took { $percent } % of the processor time here and { $baseline_percent } % in the baseline; measure both on an otherwise idle machine
gate-no-metric = no declared metric was measured in both runs
gate-not-judged = { $place } could not be judged: { $reason }
gate-not-counted =
    { $cells ->
        [one] { $cells } cell of the run does not count, so its result is missing; the first: { $first }
       *[other] { $cells } cells of the run do not count, so their results are missing; the first: { $first }
    }

## The whole answer.

gate-passed = { $verdict }: { $run } is not worse than { $baseline } by more than the smallest effects
gate-failed = { $verdict }: { $run } is worse than { $baseline }
gate-settle = About { $repeats } repeats in each run would decide it: `drivetrain resume RUN --repeats { $repeats }`, or `design.repeats` of the experiment.
gate-open = { $verdict }: a loss of { $run } against { $baseline } is neither shown nor excluded
gate-open-passes = { $verdict }, taken as a pass: a loss of { $run } against { $baseline } is neither shown nor excluded
gate-refused = NOT COMPARED: { $run } with { $baseline }
gate-exit-code = exit code { $exit_code }
gate-counts = Checked { $checked } declared results: { $worse } worse, { $equal } equal, { $better } better, { $not_worse } not worse, { $undecided } undecided.
gate-columns = result | ratio, interval and smallest effect
gate-more = and { $left } more: `drivetrain check --full`
gate-not-checked = NOT CHECKED
gate-varied = Varied between the runs on purpose: { $factors }.
