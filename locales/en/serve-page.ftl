# The pages of `drivetrain serve`.

serve-title = Runs of this notebook
serve-no-runs = This notebook holds no run yet.
serve-run = run
serve-experiment = experiment
serve-started = started
serve-state = state
serve-cells = cells
serve-report = report
serve-live = live
serve-replay = replay
serve-compare = Compare two runs
serve-compare-first = run
serve-compare-second = compared with (baseline)
serve-compare-button = Compare
serve-compared = Runs compared
serve-all-runs = All runs
serve-failed = This page cannot be shown

# A run second by second. The script fills in `[]`, in this order.

live-running = Running cell [] of []: [], [].
live-loading = Loading []: [] %.
live-finished = The run is finished. All cells are in the notebook.
live-interrupted = The run stopped before its last cell. `drivetrain resume` goes on with it.
live-disconnected = The server does not answer. The run goes on; this page connects again by itself.
live-stopping-cell = Stopping after this cell.
live-stopping-now = Stopping now: the phase ends, and the measurements are kept.
live-refused = The request to stop was refused: []
live-chip = live
live-chip-ended = ended
live-waiting = Waiting for the first cell.
live-counts = [] done · [] running · [] left
live-left = Time left
live-ends = ends about []
live-rate = work per second
live-latency = latency, ms, log scale
live-repeat = repeat []
live-now = now
live-done = repeat [], done
live-stall = no work completed for [] s
live-invalid = does not count
live-warning = warning
live-cell = cell []
live-no-verdict = Ratios are shown when the plan is complete: an early look that ends the run makes a false “better” more likely.
live-stop-after-cell = Stop after this cell
live-stop-now = Stop now
live-plan = Plan
live-plan-note = The number in a cell is its level.
live-seconds = Second by second
live-seconds-note = Heavy: the running cell. Light: the last finished cell of the other beds at the same level, on the same clock.
live-events = Events
live-time = time
live-what = event
live-closes = This page may be closed: the run goes on. Stopping keeps all measurements.
live-so-far = So far, no verdict
live-no-script = This page needs scripts for its live part. The report of the run needs none.
