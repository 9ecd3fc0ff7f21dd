### Phrases that sentences and tables share.

## Levels and arms. The short form of an arm tells it apart in a narrow column.

level-no-users = no load
level-one-user = 1 virtual user
level-users = { $value } virtual users
level-pieces = { $value } KiB pieces
level-rows = { $value } % of the rows
level-of-workload = { $at } of { $workload }
level-depth = queue depth { $value }
level-depth-of-each = { $workers } x queue depth { $value }
level-iops = { $value } IOPS offered
level-speed = { $value } times the recorded speed
level-one-piece = one piece
level-of-ranks = { $load } ({ $each } on each of { $ranks } ranks)
level-on-ranks = { $load } (on { $ranks } ranks)
level-on-each = { $load } ({ $each } on each)
arm-alone = each victim alone
    .short = alone
arm-together = victims together
    .short = together
arm-with-neighbour = victims with neighbour
    .short = with neighbour
arm-mitigated = victims with neighbour, mitigated
    .short = mitigated
arm-neighbour-alone = neighbour alone
    .short = neighbour alone

## Names.

name-bed = { $letter }: { $name }
name-run = run { $number }
name-run-of-time = { $run } of { $start }

## Figures.

figure-from-to = { $low } to { $high }
figure-at = { $interval } ({ $percent } %)
figure-above = above { $low }
figure-below = below { $high }
figure-interval = { $percent } % interval { $low } to { $high }
figure-interval-above = { $percent } % interval above { $low }
figure-interval-below = { $percent } % interval below { $high }
figure-one-repeat = one repeat
figure-seconds = { $value } s
figure-no-useful-interval = no useful interval
figure-with-interval = { $value } (95 % interval { $interval })
figure-with-useless-interval = { $value } (no useful interval)
figure-of-some = { $value } ({ $count } of { $cells })
figure-too-few = too few
figure-of-repeats = { $value } ({ $repeats } repeats, too few for an interval)
figure-without-interval = { $value } (one repeat, so without an interval)
from-pairs =
    { $pairs ->
        [one] { $pairs } pair
       *[other] { $pairs } pairs
    }
from-cells = { $above } + { $below } cells
from-few = { $basis }, few
better-higher = higher is better
better-lower = lower is better
axis-log = { $axis }, log scale
scale-full = full size
scale-part = scale 1/{ $parts }
scale-other = scale { $scale }

## Counts and lists.

count-cells =
    { $count ->
        [one] { $count } cell
       *[other] { $count } cells
    }
list-and = { $first } and { $second }
not-recorded = not recorded
limiter-not-planned = not planned

## Verdicts.

verdict-better = better
verdict-worse = worse
verdict-equivalent = equivalent
verdict-hint = { $verdict } (hint)
verdict-inconclusive = not distinguishable
verdict-higher-open = higher, size open
verdict-lower-open = lower, size open
