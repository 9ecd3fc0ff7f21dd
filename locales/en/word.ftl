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

## What levels count.

word-level-virtual-users = virtual users
    .short = users
word-level-threads = threads
    .short = threads
word-level-clients = clients
    .short = clients
word-level-depth = depth
    .short = depth
word-level-iops = IOPS
    .short = IOPS
word-level-speed = speed
    .short = speed
word-level-of-the-rows = % of the rows
    .short = rows
word-level-arm = arm
    .short = arm
word-level-kib-pieces = KiB pieces
    .short = pieces

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
