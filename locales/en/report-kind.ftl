### What the kinds of workloads show.

shaded-not-measured = Shaded: not measured.
counted-cells = cells

## The input of order entry (clause 5.5.1.5).

input-rollbacks = New orders rolled back
input-lines = Lines of an order
input-remote-lines = Lines supplied by another warehouse
input-remote-payments = Payments of another warehouse's customer
input-payments-by-name = Payments by last name
input-order-status-by-name = Order statuses by last name
input-inside = yes
input-outside = no
input-too-few = too few to tell
counted-ios = I/Os
counted-reads = reads
counted-transactions = transactions
