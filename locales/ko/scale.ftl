### 실험을 축소한 방식.

## 설명. `s`는 배율.

scale-told = { $text }
scale-as-written = 작성된 그대로 전체 크기로 실행했습니다.
scale-nothing-shrunk = 축척 { $factor }을(를) 요청했지만 줄일 것이 없어 작성된 그대로 실행했습니다.
scale-shrunk = 축척 { $factor }(으)로 실행했습니다: { $changes } ({ $rule }).
scale-rule = { $clauses }; { $stays }은(는) 작성된 그대로

## 변경 사항.

change-part = { $part } { $before } → { $after }
change-matrix = 매트릭스 측정점 { $before } → { $after }
change-unscaled = { $part } { $size }: 축척을 적용하지 않음
change-not-settled = 부하가 안정되기를 기다리지 않음

## 규칙의 항목.

clause-sizes = { $parts } x s
clause-memory = 메모리는 데이터베이스와 같은 비율
clause-loads = { $parts } x s^(1/2)
clause-points = 매트릭스, 곡선 또는 정상 상태의 측정점 시간 x s (최소 100 ms, 곡선의 측정점은 최소 500 ms; 1/600 이하에서는 최대 200 ms이며, 두 라운드마다 한 번 살펴보고, 매트릭스의 각 축에서 처음, 마지막, 추적하는 값 또는 중간 값만 남김)
clause-bursts = 버스트의 I/O 수는 버스트 간격과 같은 비율
clause-keyed = 키 입력과 생각 시간이 있는 사용자 x s (최소 부하 증가 30 s, 측정 60 s)
clause-neighbours = 부하 시간 x s, 간격 x s^(3/4), 제한 x s^(1/4)
clause-victims = 피해자는 1/60 이하에서 4개, 1/600 이하에서 2개
clause-times = 시간 x s^(3/4)
clause-instances = 인스턴스는 1/60 이하에서 4개, 1/600 이하에서 2개

## 부분의 이름.

word-scaled-warehouses = 웨어하우스
word-scaled-virtual-users = 가상 사용자
word-scaled-users = 사용자
word-scaled-threads = 스레드
word-scaled-arrivals-per-second = 초당 도착 수
word-scaled-arrivals = 도착 수
word-scaled-rows = 테이블의 행
word-scaled-memory = 메모리
word-scaled-memory-limit = 전체 메모리 제한
word-scaled-instances = 인스턴스
word-scaled-file = 파일 크기
word-scaled-files = 파일
word-scaled-ramp-up = 부하 증가
word-scaled-measuring = 측정
word-scaled-point-ramp-up = 측정점의 부하 증가
word-scaled-point-measuring = 측정점의 측정
word-scaled-curve-point-measuring = 곡선 측정점의 측정
word-scaled-settled-window = 속도가 안정되는 구간
word-scaled-rounds-between-looks = 확인 사이의 라운드
word-scaled-rounds-most = 최대 라운드
word-scaled-preconditioning = 사전 조건화
word-scaled-region = 영역
word-scaled-stream-bytes = 스트림의 바이트
word-scaled-stream-start = 스트림의 시작 시점
word-scaled-stream-time = 스트림의 시간
word-scaled-burst-every = 버스트 간격
word-scaled-burst-ios = 버스트의 I/O 수
word-scaled-interval = 간격
word-scaled-limit = 제한
word-scaled-neighbours = 이웃
word-scaled-victims = 피해자
word-scaled-pause = 일시 정지
word-scaled-before-crash = 크래시 이전 시간
word-scaled-depths = 깊이
word-scaled-rates = 속도
word-scaled-cycles = 사이클
word-scaled-rounds = 라운드
word-scaled-tables = 테이블
word-scaled-shares-and-pieces = 비율 및 조각
word-scaled-repeats = 반복
