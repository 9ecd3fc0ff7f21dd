remark-told = { $text }
remark-doctor = { $check }: { $read } ({ $why })
remark-of-host = 랭크 { $rank }({ $host }): { $found }
remark-hosts-differ = 호스트마다 { $fact } 값이 다름: { $values }
remark-disclaimer = 이 워크로드는 TPC-C Benchmark에서 파생되었으며, 이 구현이 TPC-C Benchmark의 모든 요구 사항을 준수하지는 않으므로 공표된 TPC-C Benchmark 결과와 비교할 수 없습니다.
remark-deviation = { $clause }: { $what }
remark-confound = { $factor }: { $side_a } 대 { $side_b }: { $effect }
remark-data-left = 이 실행의 일부 데이터를 제거할 수 없음: { $error }
remark-measured-again = `resume --cells`로 다시 측정한 셀이며 이전 결과는 더 이상 계산에 들어가지 않습니다: { $cells }
remark-storage-shared = 다른 실행이 같은 스토리지에서 작업 중이었음: { $folder }. 서로를 느리게 했을 수 있음

remark-loaded = { $load_s } s 동안 { $data } 적재 ({ $rows }행, { $size_mb } MB); { $check_s } s 동안 확인한 결과 모든 일관성 조건이 성립함
remark-loaded-on-server = { $server } 서버에 { $data } 적재 및 확인, { $elapsed_s } s 소요; 여기서는 셀을 초기화하지 않음: 각 셀은 이전 셀의 데이터에서 시작함
remark-found-on-server = { $server } 서버에서 { $data } 발견 및 확인, { $elapsed_s } s 소요; 여기서는 셀을 초기화하지 않음: 각 셀은 이전 셀의 데이터에서 시작함

remark-guesses = { $drive }: 모델의 수치 { $numbers }개 중 { $guesses }개는 추정값임
remark-drive-profiled = { $drive }: 지연 지도에 맞춤; 맞춤에 쓰지 않은 { $points }개 점에서 모델의 오차: p50 { $p50 } %(중앙값), 열 중 아홉은 { $p50_nine } % 이내; p95 { $p95 } %, 열 중 아홉은 { $p95_nine } % 이내; 수치 { $numbers }개 중 { $open }개는 식별되지 않음
remark-drive-profiled-loads = { $drive }: 프로파일됨; 맞춤에 쓰지 않은 { $points }개 점에서 모델의 오차: 평균 { $mean } %(중앙값), 열 중 아홉은 { $mean_nine } % 이내; p99 { $p99 } %, 열 중 아홉은 { $p99_nine } % 이내; 수치 { $numbers }개 중 { $open }개는 식별되지 않음
remark-drive-inaccurate = { $drive }의 모델은 부정확함: 맞춤에 쓰지 않은 점에서 { $figure ->
        [mean] 평균
       *[other] { $figure }
    } 예측 열 개 중 하나는 { $percent } % 이상 빗나감. `drivetrain drives { $see }` 명령이 오차를 보여 주며, 더 길게 프로파일하면 줄어들 수 있음
remark-drive-model-error = 모델의 정확도: 측정된 수치가 있는 드라이브 7종 중 쓰기 부하에서의 평균 읽기 지연 시간이 4종은 1.2 % 이내, 1종은 16 % 이내로 일치함. 나머지 2종의 가비지 컬렉션 버스트는 재현하지 못하며, p99.9를 넘는 값은 보장하지 않음
remark-virtual-time = 가상 시간 사용: 드라이브는 나노초까지 모델의 시간에 응답하며 생성기에는 비용이 없음
remark-simulated-beds = 여기의 모든 것은 시뮬레이션임: 사용자, 프로세서, 버퍼 풀, 로그, 데이터스토어, 드라이브가 가상 시간에서 동작하며 매개변수는 연구의 인쇄된 수치에 맞추어짐 (`drivetrain published` 명령이 오차와 함께 출력함). 맞추어진 수치는 예측이 아님; `drivetrain calibrate --leave-one-out` 명령은 맞추는 데 쓰지 않은 테스트에 대한 모델의 오차를 보여 줌
remark-no-io = I/O를 수행하지 않음: 수치는 프로그램 자체의 비용임
remark-replayed = I/O는 트레이스 { $trace }의 것임 ({ $format }, { $lines }줄)
remark-replayed-own-time = 기록된 시각에 시작함
remark-replayed-scaled = I/O 사이의 시간을 조정함: 기록보다 { $speed }배 빠르게
remark-replayed-fast = 기록된 시각을 무시함: 미완료 I/O가 { $depth }건 미만이 되는 즉시 시작함
remark-replay-skipped = I/O { $ios }건 제외: 읽기 전용 재생의 쓰기, 폐기, 플러시
remark-replay-wrapped = 대상의 끝을 넘는 I/O { $ios }건을 대상 안으로 옮김
remark-replay-rounded = I/O { $ios }건을 직접 I/O의 블록 크기로 맞춤
remark-replay-cut = I/O { $ios }건을 1 MiB로 자름
remark-replay-broken = 트레이스의 { $lines }줄을 읽을 수 없음, 첫 줄은 { $first }: { $why }

data-warehouses = 웨어하우스 { $warehouses }개
data-sysbench-tables = { $rows }행의 sysbench 테이블 { $tables }개
data-scanned-table = { $rows }행의 테이블
remark-imported-from = { $program } { $version }에서 측정하여 { $file }에서 가져옴: 수치는 해당 프로그램이 보고한 값이며 단위만 drivetrain의 것임. 측정 조건은 전혀 확인되지 않음
remark-imported-without-zone = 파일의 시각에 시간대가 없어 { $zone }으로 간주함. `drivetrain import --zone`으로 다른 시간대를 지정
remark-imported-without-time = 파일에 시각이 없음: 시작은 파일의 마지막 변경 시각에서 시험 시간을 뺀 값. `drivetrain import --started`로 다른 시각을 지정
remark-imported-fio-latency = 지연 시간은 fio의 완료 지연 시간(clat)으로, I/O 제출부터 완료까지임. drivetrain 자체의 지연 시간은 예정된 시작부터 계산함
remark-imported-fio-total-latency = fio가 { $jobs }의 완료 지연 시간을 제공하지 않아 전체 지연 시간(lat)을 사용함
remark-imported-fio-mixed = { $jobs }: 읽기와 쓰기를 합친 백분위수는 이 출력에 없고 각각의 값만 있음. `fio --output-format=json+`는 그 바탕이 되는 분포를 기록함
remark-imported-fio-clones = fio가 작업 { $job }의 복사본 { $count }개를 하나씩 보고함: 각 행은 한 부하의 일부임. `group_reporting`을 쓰면 한 행이 됨
remark-imported-fio-depth = { $job }: 요청한 큐 깊이는 { $asked }이지만 fio 출력에 따르면 실제로는 { $kept }. 엔진이 I/O를 기다리거나 속도가 너무 낮았음. 부하는 실제 깊이로 기록됨
remark-imported-fio-several-jobs = { $job }의 부하는 큐 깊이 { $depth }인 작업 { $jobs }개를 합친 것임
remark-imported-fio-times = fio가 각 작업의 시작 시각을 제공하지 않음: 출력의 끝에 마지막 작업이 오도록 차례로 배치함
remark-imported-fio-documents = 파일에 `--status-interval`이 기록하는 것처럼 fio 출력이 { $count }개 있음; 마지막 것을 가져옴
remark-imported-hammerdb-percentiles = HammerDB의 응답 시간에는 준비 구간이 포함되며, 백분위수는 표본에서 계산한 값임
remark-imported-percentile = sysbench가 보고한 백분위수 { $percent }은 drivetrain이 보관하지 않음; `--percentile=95` 또는 99는 보관함
remark-imported-pgbench-scripts = 스크립트 { $count }개가 함께 실행됨; 수치는 그 전체의 것임
remark-observed-at = { $server }에서 다른 사람의 부하를 { $elapsed_s }초 동안 관찰함
remark-observed-cut-short = 요청한 { $asked_s }초가 되기 전에 중단 요청으로 끝남; 수치는 그때까지의 것임
remark-observed-away = 서버가 응답을 멈추고 돌아오지 않음: { $error }. 수치는 그 이전의 것임
remark-observed-broken = 서버가 다시 시작되거나, 응답하지 않거나, 카운터가 초기화된 일이 { $times }번 있음: { $lost_s }초는 제외함
remark-observed-caught-up = 부하가 { $times }번, 모두 { $still_s }초 동안 멈춘 뒤 최대 { $burst_per_s } 트랜잭션/s로 밀린 일을 따라잡음(평소 { $usual_per_s }): 클라이언트가 자신의 속도를 유지함. 처리율은 둘의 평균이며, 작업 중인 클라이언트와 지연 시간은 안정된 부하의 값이 아님. 더 오래 다시 관찰할 것
remark-observed-all-programs = 트랜잭션당 CPU는 drivetrain 자신을 뺀 이 시스템 프로세서의 모든 작업임: 같은 시스템의 클라이언트는 부하에 속하며, 다른 프로그램과 구별할 수 없음
remark-observed-other-programs = 다른 프로그램도 프로세서를 사용함: 이 시스템의 클라이언트는 서버와 같은 양의 CPU까지만 셈. 그 프로그램들이 쉴 때 다시 관찰할 것
remark-observed-elsewhere = 서버가 다른 시스템에서 실행됨: 트랜잭션당 CPU는 대기 없이 관찰된 클라이언트의 시간이며, 프로세서는 { $processors }개로 간주함. `observe --processors`로 지정
remark-observed-drive = 트랜잭션당 읽기는 모든 프로그램을 합쳐 드라이브 { $device }에 도달한 읽기임. 버퍼 풀에 없던 나머지 페이지는 커널의 페이지 캐시에서 옴
remark-observed-other-drive = 데이터는 { $data }에 있으나 `--storage`에 따라 드라이브 { $device }를 관찰함: 읽기와 쓰기는 { $device }의 것임
remark-observed-pages = 어느 읽기가 드라이브에 도달했는지 알 수 없음: 커널의 페이지 캐시가 응답했을 수 있지만, 버퍼 풀에 없던 페이지를 읽기로 셈. 데이터가 이 시스템의 드라이브에 있으면 `observe --storage`로 그 경로를 지정
remark-observed-unsynced = 트랜잭션의 { $writing_percent } %가 썼고, 로그는 많아야 { $waiting_percent } %를 위해 플러시됨: 나머지는 로그를 기다리지 않음
remark-observed-thinking = 클라이언트는 트랜잭션 사이에 시간의 { $percent } % 동안 다른 일을 함: 부하의 일부는 자체 속도를 유지함. 예측은 이 간격을 그대로 둠
remark-observed-statements = 스스로 트랜잭션을 끝낸 클라이언트가 없음: 각 문을 하나의 트랜잭션으로 셈
