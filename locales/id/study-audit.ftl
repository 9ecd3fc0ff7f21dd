audit-two-of = { $throughput } dan { $latency } dari { $system }
audit-needs-latency = throughput { $faster }x pada konkurensi yang sama memerlukan latensi { $faster }x lebih rendah ({ $lower } % lebih rendah); latensi yang tercetak { $shorter }x lebih rendah ({ $printed } %)
audit-drives-needed = { $ratio }x memerlukan { $needed }
audit-of-two-tests = { $metric } dari { $first } dan dari { $second }
audit-printed-twice = { $value } pada keduanya: satu uji dilaporkan dua kali dan bukan ulangan
audit-no-metric = tidak ada angka dengan metriknya; metrik yang ada adalah { $metrics }
audit-no-number = tidak ada angka `{ $id }`
audit-did-you-mean = apakah yang dimaksud `{ $id }`?
audit-numbers-names-two = `numbers` harus menyebutkan dua id: angka itu sendiri dan angka pembandingnya
audit-units-differ = { $a } dalam { $a_unit } dan { $b } dalam { $b_unit }
audit-none-measured = tidak ada angka terukur
audit-none-measured-of-test = tidak ada angka terukur dari tes `{ $test }`
audit-against-which = tidak disebutkan sistem mana dari { $systems } yang menjadi pembandingnya
audit-names-no-two = `{ $system }` tidak menyebutkan dua dari { $systems }
audit-which-two = tidak disebutkan dua yang mana dari { $systems }
audit-only-one = hanya { $system } yang memiliki angka untuk itu
audit-one-system = satu sistem
audit-units-apart = angkanya memakai satuan yang tidak dapat dibandingkan
audit-no-common-level = tidak ada tes dan tingkat yang memiliki metriknya untuk { $left } sekaligus { $right }
audit-no-other = tidak ada yang lain
audit-many-of-them = { $many } buah
judge-times = { $division }, jadi { $times }x
judge-literal = { $check } lipat: { $n } kali lebih banyak hanya jika nilai pembandingnya sendiri ditambahkan, dan hanya sedikit pembaca yang memahaminya demikian
judge-share-more = { $division }: { $of } % dari yang lain ({ $more })
judge-share = { $division }: { $of } % dari yang lain
judge-not-lower = { $said }, bukan { $p } %: tidak ada yang dapat turun lebih dari 100 %
judge-way-back = { $said }: { $p } % adalah perubahan ke arah sebaliknya
judge-not = { $said }, bukan { $p } %
judge-ratio-as-increase = { $said }, bukan { $p } %: rasio dibaca sebagai kenaikan
judge-percent-of = { $division }: { $of } % DARI yang lain, selisih { $more }
judge-plus-ratio-as-increase = { $said }, bukan +{ $p } %: rasio dibaca sebagai kenaikan
judge-plus-other-lower = { $said }, bukan +{ $p } %: yang lain lebih rendah sebesar persentase itu
judge-not-plus = { $said }, bukan +{ $p } %
audit-no-one-figure = tidak ada satu angka pun dalam teks yang cocok: berikan `printed`, dan `unit`
audit-a-percentage = apakah ini persentase? Teks menyebutkan { $said } %: jika ya, berikan unit = "%"
audit-not = bukan { $said }
audit-formula-units = { $a } dalam { $a_unit } dan { $b } dalam { $b_unit }, dan formula tidak mengonversi satuan: konversikan salah satunya di dalam formula
audit-divides-by-zero = `{ $text }` adalah 0, dan rasio dengannya tidak memiliki nilai
audit-ratio-to-itself = rasio `{ $id }` terhadap dirinya sendiri tidak bermakna: sebutkan dua angka
formula-not-finite = `{ $text }` tidak memiliki nilai berhingga
formula-not-understood = `{ $rest }` dalam formula `{ $text }` tidak dipahami; gunakan + - * / ( ) ceil(), angka, dan id
formula-too-deep = tingkat persarangan formula terlalu dalam
formula-open-bracket = ada tanda kurung yang tidak ditutup
formula-missing = angka atau id tidak ada
claim-no-unit = angkanya tidak memiliki satuan: berikan unit = "%" atau "x"
claim-states-value = klaim ini menyatakan satu nilai dalam { $other } dan tidak membandingkan apa pun
claim-no-figure = klaim ini tidak memiliki angka pembanding: berikan `printed` dan `unit`, sebuah `formula`, atau `verdict` sendiri
claim-several-figures = klaim ini memiliki beberapa angka: tulis satu pernyataan untuk setiap angka
claim-place = { $metric } dari { $a } dan { $b }
claim-place-in = { $place } dalam { $test }
claim-so-do = ; demikian pula { $more } pasangan lainnya
claim-and-more = dan { $more } lagi
claim-not-same = arti yang mungkin memberikan hasil yang berbeda: { $checks }
law-little = hukum Little: { $per_s }/s x { $ms } ms = { $in_flight } sedang berjalan; pengaturannya { $set } ({ $why })
law-bytes = { $time } s x { $gb_per_s } GB/s = { $moved } GB, database berukuran { $size_gb } ({ $off } %); { $size_gb } GB dalam { $time } s adalah { $needed } GB/s
law-bytes-claim = { $what } sebesar { $size_gb } GB dalam { $s } s pada { $rate } { $unit }
law-counts-claim = TPM { $tpm } dan NOPM { $nopm } dari { $test }
law-counts = NOPM / TPM = { $share }, { $median } pada pasangan lainnya: salah satunya meragukan
rating-not-alike = tidak sebanding
rating-not-matched = tidak cocok
judge-speed = kecepatan
judge-not-higher = { $division }: { $what } { $a } tidak lebih tinggi daripada { $b }, melainkan lebih rendah
judge-not-lower-than = { $division }: { $what } { $a } tidak lebih rendah daripada { $b }, melainkan lebih tinggi
judge-times-more = { $check } lipat (secara harfiah, "kali lebih banyak" akan menambahkan satu pada angka itu)
judge-understates = { $check } (terlalu rendah)
judge-overstates = { $check } (terlalu tinggi)
judge-time-lower = { $division }: { $metric } { $by } % lebih rendah, sehingga kecepatannya { $faster } % lebih tinggi
judge-lower = { $division }: { $metric } { $by } % lebih rendah; yang lain { $faster } % lebih tinggi
judge-as-speed =
    { $division }: { $metric } { $by } % { $time ->
        [lower] lebih rendah
       *[higher] lebih tinggi
    }, sehingga kecepatannya { $gain } % { $speed ->
        [lower] lebih rendah
       *[higher] lebih tinggi
    }
law-more-than-can-be = lebih dari yang mungkin
law-fewer-than-set = kurang dari pengaturan
law-as-set = sesuai pengaturan
rating-wrong = salah
rating-inconsistent = tidak konsisten
rating-unsupported = tanpa dasar
rating-loose = longgar
rating-right = benar
