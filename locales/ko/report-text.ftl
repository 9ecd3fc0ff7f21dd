text-varied = 두 실행 간에 의도적으로 변경한 항목 { $count }개:
text-no-nuisance = 처리 요인 외에 베드 간에 다른 것으로 기록된 요인이 없습니다.
text-no-nuisance-of-runs = 두 실행의 기록된 환경은 같습니다.
text-nuisances = 처리 요인 외에 베드 간에 다른 요인이 { $count }개 있습니다. 따라서 베드를 문자로 구분하며, 어떤 차이도 처리 요인만의 결과로 볼 수 없습니다.
text-nuisances-of-runs = 두 실행의 환경에서 다른 요인이 { $count }개 있습니다. 차이는 그중 어느 것에서든 올 수 있습니다.
text-lettered-bed = { $bed }: { $label } ({ $storage })
text-metric = { $title } ({ $unit }, { $direction }; 최소 효과 { $smallest }; 평균은 기하 평균)
text-exploratory = 탐색적: 실행 전에 선언되지 않은 지표의 비교 { $count }건. Holm의 방법으로 비교 횟수에 맞추어 높인 p가 0.05 이하인 경우에만 차이로 인정합니다.
text-highest-level-only = 가장 높은 수준만 표시합니다.
text-noise = { $workload } { $metric }: 변동 계수 { $variation } (베드와 수준 { $groups }개의 중앙값), 최대 { $most }; 최대 (max - min) / 중앙값 { $range }
left-out-cell = 셀 { $cell }: { $bed }, { $at }, 반복 { $repeat }, { $state }: { $reason }
left-out-no-reason = 기록된 이유 없음

heading-durability = 내구성 테스트 (3.5.4항)
heading-in-figures = { $workload } 수치
heading-not-concluded = 이 수치의 한계
heading-instances = 나란히 실행된 인스턴스 (반복의 평균)
heading-limits = 인스턴스의 제한 (반복의 평균)
heading-inputs = 트랜잭션 입력 (유효한 모든 셀)
heading-limiters = { $level }별 { $workload } 셀의 제한 요인
heading-noise = 잡음: 같은 베드의 반복 간 차이
heading-left-out = 제외됨
heading-careful = 주의 사항

summary-title = { $title } ({ $name }), 실행 { $run }
summary-run = { $state }, 시작 { $start } UTC, 셀 { $cells }개 중 { $valid }개 유효, 시드 { $seed }, { $realm }, { $scale }
summary-means = { $workload }: 반복의 기하 평균과 그 95 % 신뢰 구간의 반너비
summary-imported = { $state }, 시작 { $start } UTC, 셀 { $cells }개 중 { $valid }개 유효, { $program }에서 { $realm }
