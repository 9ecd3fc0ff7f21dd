### How an experiment was made smaller.

## The statement. `s` is the factor.

scale-told = { $text }
scale-as-written = Run at full scale, as written.
scale-nothing-shrunk = Scale { $factor } was asked for, and nothing had to be shrunk: run as written.
scale-shrunk = Run at scale { $factor }: { $changes } ({ $rule }).
scale-rule = { $clauses }; { $stays } as written

## The changes.

change-part = { $part } { $before } became { $after }
change-matrix = the matrix of { $before } points became { $after }
change-unscaled = { $part } { $size } is not scaled
change-not-settled = a load is not waited for to settle

## The clauses of the rule.

clause-sizes = { $parts } x s
clause-memory = memory as the database
clause-loads = { $parts } x s^(1/2)
clause-points = of the points of a matrix, curve or steady state x s (and 100 ms at least, 500 ms for measuring a point of a curve; at 1/600 and below 200 ms at most, every second round is looked at, and each axis of a matrix keeps the first, the last and the tracked or a middle value)
clause-bursts = I/Os of a burst as the time between bursts
clause-keyed = users who key and think x s (and 30 s of ramp-up and 60 s of measuring at least)
clause-neighbours = times under load x s, the interval x s^(3/4), limits x s^(1/4)
clause-victims = of the victims 4 at 1/60 and below, 2 at 1/600 and below
clause-times = times x s^(3/4)
clause-instances = of the instances 4 at 1/60 and below, 2 at 1/600 and below

## Names of parts.

word-scaled-warehouses = warehouses
word-scaled-virtual-users = virtual users
word-scaled-users = users
word-scaled-threads = threads
word-scaled-arrivals-per-second = arrivals per second
word-scaled-arrivals = arrivals
word-scaled-rows = rows of a table
word-scaled-memory = memory
word-scaled-memory-limit = the limit of all memory
word-scaled-instances = instances
word-scaled-file = the file of
word-scaled-files = files
word-scaled-ramp-up = ramp-up
word-scaled-measuring = measuring
word-scaled-point-ramp-up = ramp-up of a point
word-scaled-point-measuring = measuring of a point
word-scaled-curve-point-measuring = measuring of a point of a curve
word-scaled-settled-window = a window of a settled rate
word-scaled-rounds-between-looks = rounds from one look to the next
word-scaled-rounds-most = rounds at most
word-scaled-preconditioning = preconditioning
word-scaled-region = a region's
word-scaled-stream-bytes = a stream's bytes
word-scaled-stream-start = the start after
word-scaled-stream-time = a stream's time
word-scaled-burst-every = a burst every
word-scaled-burst-ios = I/Os of a burst
word-scaled-interval = the interval
word-scaled-limit = the limit
word-scaled-neighbours = neighbours
word-scaled-victims = victims
word-scaled-pause = the pause
word-scaled-before-crash = time before the crash
word-scaled-depths = depths
word-scaled-rates = rates
word-scaled-cycles = cycles
word-scaled-rounds = rounds
word-scaled-tables = tables
word-scaled-shares-and-pieces = shares and pieces
word-scaled-repeats = repeats
