trend-headline = { $name }: 실행 { $runs }건에서 변화 { $changes }건
trend-few = { $name }: 실행 { $runs }건. 변화를 찾기에 부족하며 약 { $least }건이 필요합니다
trend-none = { $name }: 실행 { $runs }건에서 변화를 찾지 못함
trend-change = { $place }: 실행 { $run } ({ $started })부터 { $ratio }; 이전 { $before }, 이후 { $after }
trend-steady = { $place }: 찾은 변화 없음; 최근 실행에서 { $value }
trend-break = 실행 { $run } 전에 바뀐 것: { $facts }
trend-point = 실행 { $run }, { $started }: { $value }
trend-more-facts = ; 그 외
trend-not-known = { $place }: 아직 알 수 없음; 최근 실행에서 { $value }
trend-question = { $name } 실험이 달라졌는가?
trend-kicker = { $name } · 실행 { $runs }개 · { $first } ~ { $last }
trend-reading = 점 하나가 실행 하나입니다. 선: 변화가 없는 구간의 평균.
trend-reading-whisker = 수염: 한 실행의 셀의 95 % 구간.
trend-reading-letters = 글자: 그 자리에서 실행의 주변 환경이 바뀌었습니다.
trend-title-change = 실행 { $run }부터 { $ratio }, 이 지표의 변화 { $changes }개 중 가장 큰 것
trend-axis-from = { $axis } (축은 { $start }부터)
trend-axis-runs = 실행
trend-source = drivetrain · { $name } · { $place }
trend-tile-latest = 최신 실행 { $run }
trend-tile-stretch = 마지막 변화 이후 실행 { $runs }개의 평균 대비. 실행 하나는 변화점이 아니며, 두 번째 실행이 결정합니다.
trend-tile-no-change = 그 이전 실행 { $runs }개의 평균 대비, 그 사이에 변화 없음. 실행 하나는 변화점이 아니며, 두 번째 실행이 결정합니다.
trend-tile-changes = 발견된 변화
trend-tile-of-series = 계열 { $series }개에서, 그중 악화 { $worse }개.
trend-tile-runs = 같은 종류의 실행
trend-tile-breaks =
    { $breaks ->
        [0] 이름, 측정 방식, 규모가 같은 실험입니다. 환경과 실험의 키는 바뀌지 않았습니다.
       *[other] 이름, 측정 방식, 규모가 같은 실험입니다. 그중 { $breaks }개 앞에서 환경이나 실험의 키가 바뀌었습니다.
    }
trend-others = 다른 지표
trend-runs = 실행
trend-runs-caption = 실행 { $runs }개, 최신 순
trend-breaks-lead = 글자는 그림의 글자와 같습니다: 실행의 주변에서 기록되었고 이전 실행과 다른 것입니다. 글자가 있는 자리의 변화는 거기에서 비롯될 수 있습니다.
trend-column-run = 실행
trend-column-started = 시작, UTC
trend-column-before = 그 앞에서 바뀐 것
trend-here = 변화점: { $ratio }
trend-facts = { $mark } · { $facts }
trend-steady-ones = 변화가 없는 계열 { $count }개
trend-how = 변화점을 찾는 방법
trend-how-more = 그리고 단절을 그리는 때
trend-how-changes = 변화란 그 앞뒤의 순위 차이가 같은 값을 무작위로 배열한 순서의 99 %보다 크고, 평균의 차이가 실험이 선언한 최소 효과보다 작지 않은 분할 지점입니다(순위의 가장 큰 t 통계량에 의한 이진 분할과 순열 검정). 양쪽에 최소 두 개의 실행이 있습니다. 실행이 적으면 변화를 보일 수 없습니다: 열 개 이상이 필요합니다. 실행의 잡음보다 작은 변화는 보이지 않으므로 "찾은 변화 없음"은 아무것도 변하지 않았다는 증거가 아닙니다.
trend-how-breaks = 주변 환경(커널, 프로세서, 프로그램 버전, 설정, 아래의 드라이브)이 이전 실행과 다른 실행 앞에 단절을 그립니다. 평균선은 그 자리에서 끊깁니다.
trend-all-runs = 모든 실행
trend-tile-too-few = 실행이 부족함
trend-tile-least = 변화는 실행 { $least }건부터 찾을 수 있습니다.
