remark-told = { $text }
remark-doctor = { $check }: { $read } ({ $why })
remark-deviation = { $clause }: { $what }
remark-confound = { $factor }: { $side_a } terhadap { $side_b }: { $effect }
remark-data-left = sebagian data uji ini tidak dapat dihapus: { $error }
remark-loaded = { $data } ({ $rows } baris, { $size_mb } MB) dimuat dalam { $load_s } s; semua kondisi konsistensi terpenuhi, diperiksa dalam { $check_s } s
remark-loaded-on-server = { $data } dimuat pada { $server } dan diperiksa dalam { $elapsed_s } s; sel tidak di-reset di sana: setiap sel dimulai dari data sel sebelumnya
remark-found-on-server = { $data } ditemukan pada { $server } dan diperiksa dalam { $elapsed_s } s; sel tidak di-reset di sana: setiap sel dimulai dari data sel sebelumnya
remark-guesses = { $drive }: { $guesses } dari { $numbers } angka modelnya adalah perkiraan
remark-drive-model-error = Akurasi model: dari tujuh drive dengan angka terukur, model memenuhi latensi baca rata-rata di bawah beban tulis untuk empat drive dalam batas 1.2 % dan untuk drive kelima dalam batas 16 %. Model tidak memenuhi burst garbage collection pada dua drive lainnya, dan tidak menjanjikan apa pun di atas p99.9
remark-virtual-time = Waktu bersifat virtual: drive menjawab tepat pada waktu model hingga nanodetik, dan generator tidak memerlukan biaya
remark-simulated-beds = Semua yang ada di sini disimulasikan: pengguna, prosesor, buffer pool, log, datastore, dan drive dalam waktu virtual, dengan parameter yang disesuaikan dengan angka tercetak dari studi (`drivetrain published` mencetaknya beserta kesalahannya). Angka hasil penyesuaian bukanlah prediksi; `drivetrain calibrate --leave-one-out` menampilkan kesalahan model untuk tes yang tidak digunakan dalam penyesuaian
data-warehouses = { $warehouses } gudang
data-sysbench-tables = { $tables } tabel sysbench berisi { $rows } baris
data-scanned-table = tabel berisi { $rows } baris
remark-imported-from = Diukur oleh { $program } { $version } dan diimpor dari { $file }: angkanya adalah yang dilaporkan program itu, dalam satuan drivetrain. Kondisi pengukuran sama sekali tidak diperiksa
remark-imported-without-zone = Waktu dalam berkas tidak menyebut zona waktu; dianggap { $zone }. `drivetrain import --zone` menetapkan zona lain
remark-imported-without-time = Berkas tidak menyebut waktu: awalnya adalah waktu perubahan terakhir berkas dikurangi lama pengujian. `drivetrain import --started` menetapkan waktu lain
remark-imported-fio-latency = Latensi adalah latensi penyelesaian fio (clat), dari pengiriman I/O hingga selesai. Latensi drivetrain sendiri dihitung sejak awal yang dijadwalkan
remark-imported-fio-total-latency = fio tidak memberikan latensi penyelesaian { $jobs }; latensi totalnya (lat) yang dipakai
remark-imported-fio-mixed = { $jobs }: persentil baca dan tulis bersama tidak ada dalam keluaran ini, hanya persentil masing-masing. `fio --output-format=json+` menulis distribusi asalnya
remark-imported-fio-clones = fio melaporkan { $count } salinan job { $job } satu per satu: setiap baris adalah bagian dari satu beban. `group_reporting` menjadikannya satu baris
remark-imported-fio-several-jobs = Beban { $job } adalah gabungan { $jobs } job dengan kedalaman antrean { $depth }
remark-imported-fio-times = fio tidak menyebut kapan setiap job dimulai: job ditempatkan berurutan, yang terakhir berakhir di akhir keluaran
remark-imported-fio-documents = Berkas berisi { $count } keluaran fio, seperti yang ditulis `--status-interval`; yang terakhir diimpor
remark-imported-hammerdb-percentiles = Waktu respons HammerDB mencakup ramp-up, dan persentilnya berasal dari sampel
remark-imported-percentile = sysbench melaporkan persentil { $percent }, yang tidak disimpan drivetrain; `--percentile=95` atau 99 disimpan
remark-imported-pgbench-scripts = { $count } skrip berjalan bersama; angkanya adalah angka semuanya
