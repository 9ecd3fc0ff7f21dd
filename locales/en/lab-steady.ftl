### The steady state of a block cell.

steady-enough-written = enough was written
steady-no-more-rounds = no more rounds were allowed
steady-mean-latency = mean latency
steady-at = { $name } at { $points }
steady-few-rounds = { $name }: { $rounds } rounds are fewer than a window
steady-figure = { $name }: average { $average } { $unit }; excursion { $excursion } of { $excursion_allowed } allowed; slope { $slope } of { $slope_allowed } allowed; fit { $fit } x R + { $base }
steady-reads = { $read } read
steady-steady = steady
steady-bandwidth = bandwidth
steady-attained = steady state attained after { $rounds } rounds ({ $end })
steady-attained-window = steady state attained after { $rounds } rounds ({ $end }), window of rounds { $first } to { $last }
steady-missed = steady state not attained after { $rounds } rounds ({ $end })
steady-missed-window = steady state not attained after { $rounds } rounds ({ $end }), window of rounds { $first } to { $last }
