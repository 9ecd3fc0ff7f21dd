shaded-not-measured = 阴影：未测量。
counted-cells = 单元

input-rollbacks = 回滚的新订单
input-lines = 每个订单的订单行数
input-remote-lines = 由其他仓库供货的订单行
input-remote-payments = 其他仓库客户的付款
input-payments-by-name = 按姓氏的付款
input-order-status-by-name = 按姓氏的订单状态查询
input-inside = 是
input-outside = 否
input-too-few = 太少，无法判断
counted-ios = I/O
counted-reads = 读
counted-transactions = 事务
