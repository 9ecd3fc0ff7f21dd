reading-qps = sysbench의 집계 방식대로, 완료된 트랜잭션의 BEGIN과 COMMIT을 포함한 모든 문장.
reading-transaction-latency = 트랜잭션을 보낸 때부터 응답까지. 낮을수록 좋습니다.
reading-transaction-cpu = 부하 생성기 자체가 트랜잭션 한 건에 사용한 프로세서 시간.
distribution = 지연 시간 분포
