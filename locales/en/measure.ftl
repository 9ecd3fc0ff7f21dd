### The reason of a verdict. `$interval` and `$effect` are the first two.

verdict-interval = the { $percent } % interval [{ $low }, { $high }]
verdict-effect = the smallest effect of { $effect } %
verdict-beyond = { $interval } lies wholly beyond { $effect }
verdict-within = { $interval } lies wholly within { $effect }
verdict-open = { $interval } shows a difference neither beyond { $effect } nor within it
verdict-above = { $interval } lies above 1, not wholly beyond { $effect }: the direction is clear, the size is not
verdict-below = { $interval } lies below 1, not wholly beyond { $effect }: the direction is clear, the size is not
