verdict-interval = { $percent } % 신뢰 구간 [{ $low }, { $high }]
verdict-effect = 최소 효과 { $effect } %
verdict-beyond = { $interval } 전체가 { $effect } 밖에 있음
verdict-within = { $interval } 전체가 { $effect } 안에 있음
verdict-open = { $interval }에서는 차이가 { $effect }를 넘는지도 그 안에 있는지도 알 수 없음
verdict-above = { $interval }: 1보다 위에 있으나 전체가 { $effect } 밖에 있지는 않음: 방향은 분명하나 크기는 분명하지 않음
verdict-below = { $interval }: 1보다 아래에 있으나 전체가 { $effect } 밖에 있지는 않음: 방향은 분명하나 크기는 분명하지 않음
