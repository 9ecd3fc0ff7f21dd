shaded-not-measured = 음영: 측정되지 않음.
counted-cells = 셀

input-rollbacks = 롤백된 신규 주문
input-lines = 주문당 품목 수
input-remote-lines = 다른 웨어하우스가 공급한 품목
input-remote-payments = 다른 웨어하우스 고객의 결제
input-payments-by-name = 고객 성으로 조회한 결제
input-order-status-by-name = 고객 성으로 조회한 주문 상태
input-inside = 예
input-outside = 아니요
input-too-few = 표본 부족
counted-ios = I/O
counted-reads = 읽기
counted-transactions = 트랜잭션
