limiter-drive = 드라이브의 읽기나 쓰기를 기다린 시간이 가장 큰 부분을 차지했습니다
limiter-log-flush = 로그가 드라이브에 기록되기를 기다린 시간이 가장 큰 부분을 차지했습니다
limiter-locks = 다른 트랜잭션의 잠금을 기다린 시간이 가장 큰 부분을 차지했습니다
limiter-cpu = 연산이 시간의 가장 큰 부분을 차지했거나, 데이터베이스와 그 클라이언트에 쓸 수 있는 프로세서 시간이 남아 있지 않았습니다
limiter-client = 부하 생성기가 프로세서를 차지하여 스토리지가 측정되지 않았습니다
limiter-kernel = 커널의 스토리지 스택이 프로세서를 차지했습니다
limiter-other-programs = 다른 프로그램이 프로세서를 차지했습니다; 이들이 유휴 상태일 때 다시 측정하십시오
limiter-pacing = 요청 속도가 충족되었습니다; 가능한 최고 속도는 측정되지 않았습니다
limiter-no-answer = 시간의 10분의 1 이상 동안 요청이 대기하는데도 응답된 요청이 없었습니다
limiter-fixed-waits = 모델 엔진 내부의 대기로, 드라이브, 프로세서, 사용자 수와 관계없이 모든 배치에서 같습니다
limiter-network = 클라이언트와 서버 사이의 네트워크를 기다린 시간이 가장 큰 부분을 차지했습니다
limiter-not-known = 제한 요인을 기록한 셀이 없습니다

limiter-meaning = { $limiter }: { $meaning }.
limiter-no-valid-cell = 유효한 셀 없음
observed-limited-by = 제한 요인 { $limiter }: { $figures }
limiter-missed-pace = { $limiter }, 요청 속도 미달
limiter-missed-pace-in = { $limiter }, 셀 { $cells }개 중 { $missed }개에서 요청 속도 미달
