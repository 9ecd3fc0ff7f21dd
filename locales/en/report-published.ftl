### Published numbers beside ours.

published-caption = Every published number of the test ({ $mark })
published-setup-caption = The study's own beds as printed; not part of this run
published-heading = Comparison with the published numbers
published-the-study = The study
published-in = Published in { $name }.
published-shrunk = Not the same experiment: here everything is shrunk ({ $scale }). Compare ratios between beds, not absolute numbers.
published-ratio-of = { $metric }, { $bed } to { $baseline }
published-described = { $what }: published { $published }, here { $shown }.
figure-value-from-to = { $value } ({ $low } to { $high })
published-drive-alone = drive alone
published-title = Ratio to { $baseline }, published and here
published-no-counterpart = no counterpart
published-confidence = confidence { $confidence }
published-published = published
published-here = here
published-confounds = Other limits of the study's numbers, by its own text:
published-setup = The set-up of the study
published-reading = Hollow markers: the study, one run each and so without an interval. Filled markers: this run at its highest level.
published-reading-split = Hollow markers: the study, one run each and so without an interval. Filled markers: this run at its highest level. Drive alone: the part of the study's gain that `drivetrain attribute` gives to the drive, over all parameter sets that fit.
