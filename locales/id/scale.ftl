### Cara percobaan diperkecil.

## Pernyataannya. `s` adalah faktornya.

scale-told = { $text }
scale-as-written = Dijalankan pada skala penuh, seperti tertulis.
scale-nothing-shrunk = Skala { $factor } diminta, dan tidak ada yang perlu diperkecil: dijalankan seperti tertulis.
scale-shrunk = Dijalankan pada skala { $factor }: { $changes } ({ $rule }).
scale-rule = { $clauses }; { $stays } seperti tertulis

## Perubahannya.

change-part = { $part } { $before } menjadi { $after }
change-matrix = matriks { $before } titik menjadi { $after }
change-unscaled = { $part } { $size } tidak diskalakan
change-not-settled = beban tidak ditunggu sampai stabil

## Butir-butir aturannya.

clause-sizes = { $parts } x s
clause-memory = memori mengikuti database
clause-loads = { $parts } x s^(1/2)
clause-points = waktu titik-titik matriks, kurva, atau keadaan tunak x s (paling sedikit 100 ms, 500 ms untuk pengukuran titik kurva; pada 1/600 ke bawah paling lama 200 ms, setiap ronde kedua diperiksa, dan setiap sumbu matriks menyimpan nilai pertama, nilai terakhir, dan nilai yang dilacak atau nilai tengah)
clause-bursts = I/O per ledakan mengikuti jarak antarledakan
clause-keyed = pengguna yang mengetik dan berpikir x s (paling sedikit 30 s peningkatan beban dan 60 s pengukuran)
clause-neighbours = waktu di bawah beban x s, selang x s^(3/4), batas x s^(1/4)
clause-victims = korban menjadi 4 pada 1/60 ke bawah, 2 pada 1/600 ke bawah
clause-times = waktu x s^(3/4)
clause-instances = instans menjadi 4 pada 1/60 ke bawah, 2 pada 1/600 ke bawah

## Nama bagian.

word-scaled-warehouses = gudang
word-scaled-virtual-users = pengguna virtual
word-scaled-users = pengguna
word-scaled-threads = thread
word-scaled-arrivals-per-second = kedatangan per detik
word-scaled-arrivals = kedatangan
word-scaled-rows = baris tabel
word-scaled-memory = memori
word-scaled-memory-limit = batas seluruh memori
word-scaled-instances = instans
word-scaled-file = ukuran berkas
word-scaled-files = berkas
word-scaled-ramp-up = peningkatan beban
word-scaled-measuring = pengukuran
word-scaled-point-ramp-up = peningkatan beban per titik
word-scaled-point-measuring = pengukuran per titik
word-scaled-curve-point-measuring = pengukuran per titik kurva
word-scaled-settled-window = jendela laju yang stabil
word-scaled-rounds-between-looks = ronde antara dua pemeriksaan
word-scaled-rounds-most = ronde paling banyak
word-scaled-preconditioning = prakondisi
word-scaled-region = wilayah
word-scaled-stream-bytes = byte sebuah stream
word-scaled-stream-start = saat mulai sebuah stream
word-scaled-stream-time = waktu sebuah stream
word-scaled-burst-every = jarak antarledakan
word-scaled-burst-ios = I/O per ledakan
word-scaled-interval = selang
word-scaled-limit = batas
word-scaled-neighbours = tetangga
word-scaled-victims = korban
word-scaled-pause = jeda
word-scaled-before-crash = waktu sebelum crash
word-scaled-depths = kedalaman
word-scaled-rates = laju
word-scaled-cycles = siklus
word-scaled-rounds = ronde
word-scaled-tables = tabel
word-scaled-shares-and-pieces = bagian dan potongan
word-scaled-repeats = ulangan
