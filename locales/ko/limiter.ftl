figures-told = { $text }
figures-users = 사용자 시간: 드라이브 읽기 { $drive_reads_percent } %, 로그 { $log_percent } %, 단일 쓰기 순번 대기 { $writer_percent } %, 엔진 및 클라이언트 { $rest_percent } %; { $processors }
figures-sessions =
    { $samples ->
        [0] 서버 세션: 작업 중인 세션이 관측되지 않음; { $processors }
       *[other] 서버 세션: 로그 { $log_percent } %, 드라이브 { $drive_percent } %, 행 잠금 { $locks_percent } %, 프로세서 및 기타 { $rest_percent } % (표본 { $samples }개); { $processors }
    }
figures-sessions-few = 서버 세션: 작업 중인 표본이 { $samples }개뿐이어서 비율을 알 수 없음; { $processors }
figures-model = 모델의 사용자 시간: 프로세서 { $processor_percent } %, 프로세서 대기 { $queue_percent } %, 드라이브 읽기 { $drive_reads_percent } %, 로그 { $log_percent } %, 엔진 내 고정 대기 { $fixed_percent } %, 네트워크 { $network_percent } %; CPU 유휴 { $cpu_idle_percent } %
figures-workers = 작업자별: 프로세서 사용률 생성기 { $generator_percent } %, 커널 { $kernel_percent } %
figures-workers-paced = 요청된 { $asked_iops } IOPS 중 { $iops } IOPS; 작업자별: 프로세서 사용률 생성기 { $generator_percent } %, 커널 { $kernel_percent } %
figures-model-paced = 요청된 { $asked_iops } IOPS 중 { $iops } IOPS
figures-model-behind = 요청 속도 미달: 요청된 { $asked_iops } IOPS 중 { $iops } IOPS; 나머지는 모델의 스토리지를 대기
figures-model-unpaced = 블록 부하의 모델에는 스토리지만 포함됨
figures-no-answer = 요청이 대기하는 동안 { $measured_s } s 중 { $still_s } s ({ $still_percent } %) 동안 응답된 요청이 없음; 나머지 시간은 { $moving }: { $rest }
figures-pace-kept = 요청 속도 충족: { $asked_per_s }/s 중 { $per_s }/s; { $rest }
figures-pace-missed = 요청 속도 미달: { $asked_per_s }/s 중 { $per_s }/s; { $rest }
figures-pace-above = 요청 속도 초과: { $asked_per_s }/s 중 { $per_s }/s; { $rest }
figures-with-processors = { $rest }; { $processors }

processors-known = CPU 유휴 { $idle_percent } %, 다른 프로그램은 사용 시간의 { $others_percent_of_busy } %, steal { $steal_percent } %
processors-others-not-known = CPU 유휴 { $idle_percent } %, 다른 프로그램은 알 수 없음, steal { $steal_percent } %
processors-elsewhere = CPU는 알 수 없음, 서버가 다른 시스템에 있음
figures-workers-behind = 요청 속도 미달: 요청된 { $asked_iops } IOPS 중 { $iops } IOPS; 작업자별: 프로세서 사용률 생성기 { $generator_percent } %, 커널 { $kernel_percent } %
