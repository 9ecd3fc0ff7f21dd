verdict-interval = { $percent } % 置信区间 [{ $low }, { $high }]
verdict-effect = 最小效应 { $effect } %
verdict-beyond = { $interval } 完全在{ $effect } 之外
verdict-within = { $interval } 完全在{ $effect } 之内
verdict-open = { $interval } 所示的差异既不在{ $effect } 之外，也不在其之内
verdict-above = { $interval } 大于 1，但不完全在{ $effect } 之外：方向明确，大小不明确
verdict-below = { $interval } 小于 1，但不完全在{ $effect } 之外：方向明确，大小不明确
