reading-qps = Semua pernyataan dari transaksi yang selesai, termasuk BEGIN dan COMMIT, sebagaimana dihitung oleh sysbench.
reading-transaction-latency = Dari pengiriman transaksi hingga jawabannya. Nilai lebih rendah lebih baik.
reading-transaction-cpu = Waktu prosesor yang dipakai generator beban sendiri untuk satu transaksi.
distribution = Distribusi latensi
