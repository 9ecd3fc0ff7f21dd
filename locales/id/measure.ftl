verdict-interval = interval { $percent } % [{ $low }, { $high }]
verdict-effect = efek terkecil sebesar { $effect } %
verdict-beyond = { $interval } seluruhnya berada di luar { $effect }
verdict-within = { $interval } seluruhnya berada dalam { $effect }
verdict-open = { $interval } tidak menunjukkan perbedaan di luar { $effect } maupun di dalamnya
verdict-above = { $interval } berada di atas 1, tidak seluruhnya di luar { $effect }: arahnya jelas, besarnya tidak
verdict-below = { $interval } berada di bawah 1, tidak seluruhnya di luar { $effect }: arahnya jelas, besarnya tidak
