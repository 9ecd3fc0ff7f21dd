### The result in at most twenty lines, as it ends a command.

brief-changes = Changes how far the answer holds: { $first }
brief-more =
    { $notes ->
        [one] With --full: { $more } more that change it, { $notes } note.
       *[other] With --full: { $more } more that change it, { $notes } notes.
    }
brief-more-changes = With --full: { $more } more that change it.
brief-more-notes =
    { $notes ->
        [one] With --full: { $notes } note.
       *[other] With --full: { $notes } notes.
    }
brief-notes-only =
    { $count ->
        [one] No warning changes the verdicts; { $count } note: --full
       *[other] No warning changes the verdicts; { $count } notes: --full
    }
brief-nothing-changes = No warning changes the verdicts.
brief-no-warning = No warning.
brief-no-warning-notes =
    { $count ->
        [one] No warning; { $count } note: --full
       *[other] No warning; { $count } notes: --full
    }
brief-more-rows =
    { $count ->
        [one] … { $count } more row: --full
       *[other] … { $count } more rows: --full
    }
brief-workload = workload
brief-interval = interval
brief-ratio = { $metric } ratio
brief-no-interval = no interval
brief-not-judged = not judged
brief-baseline = baseline
brief-at = at
markdown-folded = Notes, and the kind of these numbers
brief-left-out =
    { $count ->
        [one] { $count } cell is left out: { $first }
       *[other] { $count } cells are left out, the first: { $first }
    }
