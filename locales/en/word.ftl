### Words of a result as a reader sees them.

## Kinds of events.

word-event-setting = setting
word-event-reset = reset
word-event-warning = warning
word-event-error = error
word-event-input = input
word-event-consistency = consistency
word-event-server-counts = server-counts
word-event-steady = steady
word-event-arm = arm
word-event-simulated = simulated
word-event-pattern = pattern
word-event-cycle = cycle
word-event-drill = drill
word-event-layout = layout
word-event-plan = plan
word-event-crash = crash
word-event-search = search
word-event-purge = purge
word-event-trace = trace
word-event-host-limiter = limiter of a host
word-event-stop = stop
word-event-unmeasurable = unmeasurable

## What levels count.

word-level-virtual-users = virtual users
    .short = users
    .one = virtual user
word-level-threads = threads
    .short = threads
    .one = thread
word-level-clients = clients
    .short = clients
    .one = client
word-level-depth = depth
    .short = depth
    .one = depth
word-level-iops = IOPS
    .short = IOPS
    .one = IOPS
word-level-speed = speed
    .short = speed
    .one = speed
word-level-of-the-rows = % of the rows
    .short = rows
    .one = % of the rows
word-level-arm = arm
    .short = arm
    .one = arm
word-level-kib-pieces = KiB pieces
    .short = pieces
    .one = KiB piece
word-level-ranks = ranks
    .short = ranks
    .one = rank

# `8 virtual users`.
level-counted = { $value } { $name }

## Limiters.

word-limiter-drive = drive
word-limiter-log-flush = log flush
word-limiter-locks = locks
word-limiter-cpu = CPU
word-limiter-client = client
word-limiter-kernel = kernel
word-limiter-other-programs = other programs
word-limiter-pacing = pacing
word-limiter-no-answer = no answer
word-limiter-fixed-waits = fixed waits
word-limiter-network = network
word-limiter-not-known = not known

## Realms.

word-realm-real = real
word-realm-emulated = emulated
word-realm-simulated = simulated
word-realm-mixed = mixed
word-realm-imported = imported

## Units that are words.

word-unit-pages = pages

## States of runs and cells.

word-state-running = running
word-state-killed = killed
word-state-finished = finished
word-state-interrupted = interrupted
word-state-failed = failed
word-state-planned = planned
word-state-done = done
word-state-invalid = invalid

## Phases of a cell.

word-phase-reset = reset
word-phase-prepare = preparing
word-phase-ramp-up = ramp-up
word-phase-measure = measuring
word-phase-drain = last answers
word-phase-done = load is over
word-phase-check = checking
word-phase-precondition = preconditioning
word-phase-lay-out = laying out files
word-phase-cold-scan = cold scan
word-phase-trial-scan = trial scan
word-phase-recover = recovering
word-phase-load = under load
word-phase-crash = crash
word-phase-backup = backup
word-phase-verify = verifying the backup
word-phase-restore = restore
word-phase-proof = proof of the restore
word-phase-neighbour = neighbour at work
word-phase-recover-and-check = recovery and check
word-phase-precondition-fill = preconditioning: filling
word-phase-precondition-the-load = preconditioning: the load
word-phase-scan = scan
word-phase-lookup-cold = lookups, cold cache
word-phase-lookup-warm = lookups, warm cache
word-phase-scan-cold = scan, cold cache
word-phase-scan-warm = scan, warm cache
