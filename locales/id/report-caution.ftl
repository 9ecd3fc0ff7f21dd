caution-not-run = { $open } sel dari rencana tidak dijalankan.
caution-running = Uji belum lengkap: { $done } dari { $all } sel telah dicatat.
caution-interrupted = Uji terinterupsi setelah { $done } dari { $all } sel; `drivetrain resume { $run }` menyelesaikannya.
caution-killed = Uji dihentikan paksa setelah { $done } dari { $all } sel; `drivetrain resume { $run }` menyelesaikannya.
caution-failed = Uji gagal setelah { $done } dari { $all } sel; atasi penyebabnya, lalu `drivetrain resume { $run }` melanjutkannya.
caution-failed-why = Uji gagal setelah { $done } dari { $all } sel: { $why }; atasi penyebabnya, lalu `drivetrain resume { $run }` melanjutkannya.
caution-stopped = Beban dihentikan sebelum selesai: angkanya berasal dari bagian yang sudah berjalan.
caution-not-whole = Tidak semua hasil pengukuran beban ini tersimpan.
caution-order = Urutan tidak diacak: setiap testbed dijalankan sebagai satu blok, sehingga pergeseran pada mesin tampak seperti perbedaan antartestbed.
caution-drift =
    { $metric } { $direction ->
        [up] naik
       *[down] turun
    } sebesar { $by } dari ulangan pertama hingga terakhir pada semua testbed secara serupa; { $order ->
        [sequential] urutan sel tidak meniadakannya
       *[other] pasangan berselang-seling meniadakan sebagian besarnya
    }.
caution-of-run = Dari { $run }: { $warning }
caution-named-but-same = `{ $name }` dinyatakan divariasikan, tetapi sama dalam kedua uji.
caution-left-out = { $invalid } sel tidak valid dan { $interrupted } sel terinterupsi dikesampingkan dari setiap angka dan kesimpulan; alasannya dicantumkan.
caution-left-out-invalid = { $invalid } sel tidak valid dikesampingkan dari setiap angka dan kesimpulan; alasannya dicantumkan.
caution-left-out-interrupted = { $interrupted } sel terinterupsi dikesampingkan dari setiap angka dan kesimpulan; alasannya dicantumkan.
caution-warned = { $cells } sel valid memiliki peringatan; yang pertama, dari { $bed } pada { $at }: { $first }
caution-inputs = Dalam { $cells } sel valid, input berada di luar batas klausul 5.5.1.5, yang dapat terjadi secara kebetulan pada sel yang singkat; yang pertama: { $first }
caution-errors = { $errors } kesalahan tercatat dalam sel valid.
caution-errors-first = { $errors } kesalahan tercatat dalam sel valid, yang pertama: { $first }
caution-few-samples = p99 sejumlah sel didasarkan pada hanya { $fewest } latensi; batas untuk p99 memerlukan setidaknya { $least }.
caution-generator = Generator beban membatasi { $bed } pada { $levels }: penyimpanannya tidak terukur di sana.
caution-place = { $bed } pada { $levels }
caution-and-more = { $told } dan { $more } lagi
caution-generator-several = Generator beban menjadi pembatas: { $places }. Penyimpanan tidak terukur di sana.
caution-unlike-points = Setiap angka { $workload } diambil dari titik-titik matriks yang tidak serupa sekaligus: { $points }. Angka itu tidak menjawab pertanyaan tentang salah satunya. Laporan dan `drivetrain show { $run } --full` mencantumkan titik-titiknya.
caution-all-points = semua { $count }
caution-behind-several = Laju target tidak tercapai: { $places }. Permintaan lebih banyak daripada yang dijawab, sehingga latensi di sana mencakup waktu permintaan menunggu untuk dimulai dan bergantung pada panjang fase.
caution-paced-several = Laju target tercapai: { $places }. Latensinya berlaku untuk laju tersebut, dan laju tertinggi tidak diukur.
caution-paced = { $bed } mencapai laju target pada { $levels }: latensinya berlaku untuk laju tersebut, dan laju tertingginya tidak diukur.
caution-above-pace = { $bed } melampaui laju target lebih dari sepersepuluh pada { $levels }: peningkatan beban terlalu singkat (pada pengguna yang mengetik, waktu mengetik dan berpikir pertama belum selesai), sehingga throughput maupun latensi bukan nilai pada laju target.
caution-above-pace-several = Laju target terlampaui lebih dari sepersepuluh: { $places }. Peningkatan beban terlalu singkat (pada pengguna yang mengetik, waktu mengetik dan berpikir pertama belum selesai), sehingga throughput maupun latensi bukan nilai pada laju target.
caution-late = I/O selesai lebih lambat daripada menurut model drive: { $beds }. Mesin ini tidak dapat mengimbangi, sehingga testbed tampak lebih lambat daripada drive yang dimodelkan.
caution-late-of = hingga { $percent } % pada { $bed } saat { $at }
caution-late-verdict = Penyelesaian yang lebih lambat daripada model drive memakan { $percent } % waktu pemanggil pada { $bed } dan { $baseline_percent } % pada { $baseline } di { $at }. Tanpa itu rasio { $metric } akan menjadi { $without }, bukan { $ratio }, dan putusannya { $verdict_without }, bukan { $verdict }: mesin ini yang menentukan, bukan drive, dan lebih banyak ulangan tidak mengubahnya.
caution-off-model = Rata-rata drive yang dimodelkan berbeda dari modelnya: { $beds }. Perbedaan sebesar itu dapat berasal dari mesin ini, bukan dari drive.
caution-off-model-of =
    { $kind ->
        [read] pembacaan
        [write] penulisan
       *[sync] sinkronisasi
    } { $by } { $direction ->
        [longer] lebih lama
       *[shorter] lebih singkat
    } pada { $bed } ({ $at })
caution-on-bed = Pada { $bed }: { $sentence }
caution-on-beds = { $what }: { $beds }
caution-on-one = pada { $bed } { $what }
caution-others = Program lain memakai waktu prosesor selama pengukuran: { $beds }. Angkanya mencakup gangguan program tersebut.
caution-others-of = hingga { $percent } % pada { $bed } ({ $at })
caution-others-apart = Program lain memakai { $percent } % waktu prosesor dalam { $run } dan { $baseline_percent } % dalam { $baseline } ({ $bed } pada { $at }): hal ini saja dapat menyebabkan perbedaan. Ukur keduanya pada mesin yang tidak menjalankan hal lain.
caution-one-drive = { $beds } menyimpan datanya pada satu sistem file ({ $source }, dipasang di { $mount }): perbedaan di antaranya tidak berasal dari drive-nya.
caution-few-repeats = { $few } dari { $all } kontras utama didasarkan pada ulangan yang terlalu sedikit (kurang dari 6 pasangan, atau 4 dan 4 sel tanpa pasangan) dan bersifat eksploratif: indikasi, bukan temuan.
caution-unjudged = { $count } kontras utama tidak dapat dinilai. Yang pertama: { $first }
caution-below-noise = Perbedaannya lebih kecil daripada sebaran satu testbed dari sel ke sel ({ $variation }).
caution-behind = { $bed } tidak mencapai laju target pada { $levels }: permintaan lebih banyak daripada yang dijawab, sehingga latensinya di sana mencakup waktu permintaan menunggu untuk dimulai dan bergantung pada panjang fase.
caution-buffered = I/O dari { $jobs } memakai buffer (`direct` dimatikan): cache halaman kernel menjawab sebagian darinya, mungkin semuanya. Angkanya adalah angka memori dan penyimpanan bersama, dan pembatas “drive” berarti keduanya.
