reason-told = { $text }
reason-error = { $error }
reason-failed = { $step }: { $error }
word-step-reset = 초기화
word-step-start = 시작
word-step-laying-out = 레이아웃
word-step-emptying-the-caches = 캐시 비우기
word-step-mitigation = 완화
word-step-backup = 백업
word-step-verifying-the-backup = 백업 검증
word-step-restore = 복원
word-step-proving-the-restored-instance = 복원된 인스턴스 증명
word-step-drill = 훈련
word-step-writing-the-trace-of-a-cell = 셀의 트레이스 쓰기

reason-instance = 인스턴스 { $instance }: { $why }
reason-neighbour = 이웃: { $why }
reason-of-host = 랭크 { $rank }({ $host }): { $why }
reason-fleet-not-started = 시작한 호스트 없음: { $why }
reason-in-cycle = 사이클 { $cycle }, { $why }
reason-of-cycle = 사이클 { $cycle }: { $why }
reason-with-server-log =
    { $why }
    서버 로그의 마지막 줄:
    { $log }

reason-stopped-at-once = 즉시 중지됨: { $why }
reason-stopped-unchecked = 즉시 중지됨, 일관성 확인 안 함
reason-stopped-measuring = 측정 단계가 끝나기 전에 사용자가 중지함
reason-stopped-in-round = 라운드가 끝나기 전에 사용자가 중지함
reason-stopped-after-reads = 읽기 { $all }건 중 { $done }건 후에 사용자가 중지함
reason-stopped-after-scans = 스캔 { $all }회 중 { $done }회 후에 사용자가 중지함
reason-stopped-after-cycles = 사이클 { $done }회 후에 사용자가 중지함
reason-program-ended = 셀이 끝나기 전에 프로그램이 종료됨

reason-not-simulated = 이 종류의 워크로드는 시뮬레이션되지 않음
reason-no-instance = 베드에 인스턴스가 없음
reason-one-instance = 내구성 시험은 인스턴스 하나를 크래시시킴
reason-foreign-server = drivetrain이 시작한 서버가 아님
reason-no-database = 데이터베이스가 없음
reason-no-file = 파일이 없음
reason-no-stream = 워크로드에 스트림이 없음
reason-no-load = 워크로드에 부하가 없음
reason-block-too-large = 블록 크기 { $size }: 너무 큼
reason-streams-need-level = 자체 부하가 없는 스트림에는 수준이 필요함
reason-curve-needs-depth = 곡선에는 깊이가 필요함
reason-search-needs-level = 탐색에는 어디까지 탐색할지 정하는 수준이 필요함
reason-log-not-shared = 데이터와 별도 드라이브에 있는 로그가 하나의 부하를 나눌 수 없음: 로그의 스트림에 자체 부하(`depth`, `rate` 또는 `burst`)를 지정하십시오
reason-log-needs-storage = 이름으로 지정한 파일 옆의 로그에는 베드의 `log` 스토리지가 필요함
reason-model-needs-drive = 엔진 `modelled`에는 에뮬레이션 스토리지가 필요함
reason-server-is-no-target = 블록 I/O에는 드라이브나 경로가 필요한데, 이 베드는 서버임: { $url }
reason-file-unreadable = { $path }: 읽을 수 없음: { $error }
reason-file-without-size = { $path }: 파일이 없고, 워크로드에 만들 크기가 없음
reason-arm-unknown = 실험에 없는 비교군임
reason-arm-idle = 이 비교군에서는 스토리지를 사용하는 것이 없음: 이웃이 유휴 상태임
reason-no-victims = 피해자가 없음
reason-pieces-unknown = { $file }: { $error }: 파일 시스템이 파일 조각의 위치를 알려 주지 않음
reason-load-failed = 부하 스레드가 실패함
reason-crasher-failed = 크래시를 일으키는 스레드가 실패함
reason-watcher-failed = 부하를 감시하는 스레드가 실패함

reason-nothing-completed = 측정 단계에서 완료된 것이 없음
reason-load-not-begun = 부하가 시작되지 않음
reason-unanswered = 요청 { $requests }건이 응답되지 않음, 또한 { $why }
reason-silent = 서버가 응답을 멈춤 ({ $error })
reason-only-session-lost = 부하 시작 { $at_s } s 후에 유일한 세션의 연결이 끊김
reason-all-sessions-lost = 부하 시작 { $at_s } s 후에 세션 { $sessions }개 전부의 연결이 동시에 끊김: 서버가 중지되었거나 크래시되었거나 연결이 차단됨
reason-started-again = 부하 중에 서버가 다시 시작됨
reason-crashed-and-recovered = 부하 중에 서버가 크래시 후 복구됨
reason-killed-for-memory = 메모리가 부족하여 커널이 프로세스 { $processes }개를 강제 종료함; `memory_limit` 값을 높이십시오

reason-not-checked = 일관성을 확인할 수 없음: { $why }
reason-violated = 일관성 위반: { $conditions }
reason-condition = 조건 { $number } ({ $clause }): { $detail }
reason-sysbench-condition = 테이블 { $table }: { $condition }: { $rows }행이 위반: { $detail }
reason-scanned-rows = 테이블의 행이 { $expected }개가 아니라 { $rows }개임
reason-scanned-places = 위치의 합이 { $expected } 대신 { $sum }임
reason-scanned-bytes = 페이로드가 { $expected }바이트가 아니라 { $bytes }바이트임
reason-other-rows = { $way } 및 { $first } 결과의 행이 서로 다름: { $expected } 대신 { $found }
reason-rows-read = 행 { $rows }개, { $bytes }바이트, 위치의 합 { $sum_of_places }

reason-nothing-acknowledged = 크래시 전에 확인된 주문이 없어 검증된 것이 없음; 부하 시간을 늘리십시오
reason-not-recovered = 복구되지 않음: { $error }
reason-damaged = 크래시 후 데이터베이스가 손상되어 확인된 주문 { $orders }건이 모두 손실됨: { $why }
reason-orders-lost = 확인된 주문 { $acknowledged }건 중 { $lost }건 손실: (웨어하우스, 구역, 주문) { $named }

reason-restored-otherwise = 복원된 인스턴스가 원본과 다름: { $found }
reason-orders-missing = 백업 전에 확인된 주문 { $acknowledged }건 중 { $missing }건이 없음
reason-table-missing = 테이블 { $table }: 없음
reason-table-rows = 테이블 { $table }: 행이 { $expected }개가 아니라 { $rows }개임
reason-table-differs = 테이블 { $table }: 다른 행이 있음, 체크섬이 다름
reason-table-added = 테이블 { $table }: 원본에 없던 테이블임
reason-drill-unnoticed = 훈련: { $file } 파일의 바이트 { $byte }, 비트 { $bit } 반전을 어떤 확인도 발견하지 못함

reason-nothing-measured = 집계되는 측정이 없음
reason-ios-failed = I/O { $ios }건 실패: { $error }
reason-ios-short = I/O { $ios }건이 요청보다 적은 바이트를 전송함
reason-ios-unfinished = 배출 제한 시간까지 I/O { $ios }건이 완료되지 않음; 그 지연 시간은 하한값임
reason-run-stopped = 실행이 끝나기 전에 중지됨
reason-target-failing = 대상이 오류로만 응답함 (마지막: { $error }); 실행을 조기에 종료함
reason-target-deleted = { $path }: 사용 중에 삭제됨
reason-target-moved = { $path }: 사용 중에 { $now }(으)로 이동됨
reason-target-unmounted = { $path }: 더 이상 접근할 수 없음. 파일 시스템(장치 { $device })이 마운트 해제되었거나 다른 파일 시스템이 그 위에 마운트됨. 실행이 제거하지 못한 것은 그 장치에 남아 있음
reason-workers-stuck = 작업자 { $workers }개가 반환되지 않는 시스템 호출에서 멈춤; 그 I/O는 누락됨
reason-program-stood-still = 부하 { $from_second }초 시점부터 { $seconds } s 동안 drivetrain 자체가 실행되지 않음: 프로세스가 정지되었거나 머신이 멈춤; 그동안의 지연 시간은 드라이브의 것이 아님
reason-coarse-seconds = 이 길이의 실행에서는 개별 초의 백분위수 오차가 최대 { $error_percent } %임; 실행 전체의 백분위수는 해당 없음
reason-journal-ended = 저널이 일찍 끝남: { $error }
reason-journal-incomplete = 영속 쓰기 { $writes }건이 저널에 없음
reason-blocks-wrong = 쓴 블록 { $blocks }개가 잘못됨: { $kinds }
fault-flipped = 비트 반전 { $blocks }개
fault-torn = 찢어짐 { $blocks }개
fault-lost = 손실 { $blocks }개
fault-stale = 오래된 데이터 { $blocks }개
fault-misplaced = 잘못된 위치 { $blocks }개
fault-unreadable = 읽기 불가 { $blocks }개
fault-none = 결함 없음
reason-not-verified = 쓴 데이터의 검증이 끝나지 않음
