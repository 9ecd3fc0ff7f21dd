### The audit of printed numbers and claims.

audit-two-of = { $throughput } and { $latency } of { $system }
audit-needs-latency = { $faster }x the throughput at equal concurrency needs { $faster }x lower latency ({ $lower } % lower); the printed latency is { $shorter }x lower ({ $printed } %)
audit-drives-needed = { $ratio }x needs { $needed }
audit-of-two-tests = { $metric } of { $first } and of { $second }
audit-printed-twice = { $value } in both: one run is reported twice and is no repeat
audit-no-metric = no number has its metric; the metrics are { $metrics }
audit-no-number = there is no number `{ $id }`
audit-did-you-mean = did you mean `{ $id }`?
audit-numbers-names-two = `numbers` must name two ids: the number itself and the one it is compared with
audit-units-differ = { $a } is in { $a_unit } and { $b } in { $b_unit }
audit-none-measured = there is no measured number
audit-none-measured-of-test = there is no measured number of test `{ $test }`
audit-against-which = it does not say which of { $systems } it compares with
audit-names-no-two = `{ $system }` names no two of { $systems }
audit-which-two = it does not say which two of { $systems }
audit-only-one = only { $system } has a number of it
audit-one-system = one system
audit-units-apart = its numbers are in units that cannot be compared
audit-no-common-level = no test and level has its metric for both { $left } and { $right }
audit-no-other = no other
audit-many-of-them = { $many } of them
judge-times = { $division }, so { $times }x
judge-literal = { $check } as much: { $n } times more only if the one itself is added, and few readers read it so
judge-share-more = { $division }: { $of } % of the other ({ $more })
judge-share = { $division }: { $of } % of the other
judge-not-lower = { $said }, not { $p } %: nothing becomes lower by more than 100 %
judge-way-back = { $said }: { $p } % is the change in the opposite direction
judge-not = { $said }, not { $p } %
judge-ratio-as-increase = { $said }, not { $p } %: the ratio was read as an increase
judge-percent-of = { $division }: { $of } % OF the other, { $more } more
judge-plus-ratio-as-increase = { $said }, not +{ $p } %: the ratio was read as an increase
judge-plus-other-lower = { $said }, not +{ $p } %: the other is lower by that percentage
judge-not-plus = { $said }, not +{ $p } %
audit-no-one-figure = no single figure of the text fits: give `printed`, and `unit`
audit-a-percentage = is it a percentage? The text says { $said } %: give unit = "%" if so
audit-not = not { $said }
audit-formula-units = { $a } is in { $a_unit } and { $b } in { $b_unit }, and a formula converts no units: convert one of them in the formula
audit-divides-by-zero = `{ $text }` is 0, and a ratio has no value with it
audit-ratio-to-itself = the ratio of `{ $id }` to itself says nothing: name two numbers
formula-not-finite = `{ $text }` has no finite value
formula-not-understood = `{ $rest }` in the formula `{ $text }` is not understood; use + - * / ( ) ceil(), numbers and ids
formula-too-deep = the formula is nested too deeply
formula-open-bracket = a bracket is not closed
formula-missing = a number or an id is missing
claim-no-unit = its figure has no unit: give unit = "%" or "x"
claim-states-value = it states one value in { $other } and compares nothing
claim-no-figure = it has no figure that compares: give `printed` and `unit`, a `formula`, or a `verdict` of your own
claim-several-figures = it has several figures: write one statement for each
claim-place = { $metric } of { $a } and { $b }
claim-place-in = { $place } in { $test }
claim-so-do = ; so do { $more } more pairs
claim-and-more = and { $more } more
claim-not-same = its possible meanings give different results: { $checks }
law-little = Little's law: { $per_s }/s x { $ms } ms = { $in_flight } in flight; the setting is { $set } ({ $why })
law-bytes = { $time } s x { $gb_per_s } GB/s = { $moved } GB, the database has { $size_gb } ({ $off } %); { $size_gb } GB in { $time } s are { $needed } GB/s
law-bytes-claim = { $what } of { $size_gb } GB in { $s } s at { $rate } { $unit }
law-counts-claim = TPM { $tpm } and NOPM { $nopm } of { $test }
law-counts = NOPM / TPM = { $share }, { $median } in the other pairs: one of the two is suspect
rating-not-alike = not like for like
rating-not-matched = not matched
judge-speed = speed
judge-not-higher = { $division }: the { $what } of { $a } is not higher than that of { $b } but lower
judge-not-lower-than = { $division }: the { $what } of { $a } is not lower than that of { $b } but higher
judge-times-more = { $check } as much (literally, "times more" would add one to that)
judge-understates = { $check } (understates)
judge-overstates = { $check } (overstates)
judge-time-lower = { $division }: { $metric } { $by } % lower, so the speed is { $faster } % higher
judge-lower = { $division }: { $metric } { $by } % lower; the other is { $faster } % higher
# `$time` and `$speed` are `lower` or `higher`.
judge-as-speed =
    { $division }: { $metric } { $by } % { $time ->
        [lower] lower
       *[higher] higher
    }, so the speed is { $gain } % { $speed ->
        [lower] lower
       *[higher] higher
    }
law-more-than-can-be = more than possible
law-fewer-than-set = fewer than set
law-as-set = as set
rating-wrong = wrong
rating-inconsistent = inconsistent
rating-unsupported = unsupported
rating-loose = loose
rating-right = right
