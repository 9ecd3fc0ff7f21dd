trend-headline = { $changes } perubahan dalam { $runs } uji dari { $name }
trend-few = { $runs } uji dari { $name }: terlalu sedikit untuk menemukan perubahan, yang memerlukan sekitar { $least } uji
trend-none = Tidak ditemukan perubahan dalam { $runs } uji dari { $name }
trend-change = { $place }: { $ratio } sejak uji { $run } ({ $started }): sebelumnya { $before }, sesudahnya { $after }
trend-steady = { $place }: tidak ditemukan perubahan; { $value } dalam uji terakhir
trend-break = sebelum uji { $run } berubah: { $facts }
trend-point = uji { $run }, { $started }: { $value }
trend-more-facts = ; dan lainnya
trend-not-known = { $place }: belum diketahui; { $value } pada uji terbaru
trend-question = Apakah { $name } berubah?
trend-kicker = { $name } · { $runs } uji · { $first } hingga { $last }
trend-reading = Satu titik per uji; garis: rata-rata satu ruas tanpa perubahan.
trend-reading-whisker = Garis tegak: interval 95 % sel satu uji.
trend-reading-letters = Huruf: sesuatu di sekitar uji berubah di sana.
trend-title-change = { $ratio } sejak uji { $run }, terbesar dari { $changes } perubahan metrik ini
trend-axis-from = { $axis } (sumbu mulai dari { $start })
trend-axis-runs = uji
trend-source = drivetrain · { $name } · { $place }
trend-tile-latest = Uji terbaru, { $run }
trend-tile-stretch = Terhadap rata-rata { $runs } uji sejak perubahan terakhir. Satu uji bukan titik perubahan; uji kedua menentukan.
trend-tile-no-change = Terhadap rata-rata { $runs } uji sebelumnya, tanpa perubahan di antaranya. Satu uji bukan titik perubahan; uji kedua menentukan.
trend-tile-changes = Perubahan yang ditemukan
trend-tile-of-series = { $worse } memburuk, dalam { $series } deret.
trend-tile-runs = Uji sejenis
trend-tile-breaks =
    { $breaks ->
        [0] Eksperimen dengan nama, jenis pengukuran, dan skala yang sama. Lingkungan dan kunci eksperimen tidak berubah.
       *[other] Eksperimen dengan nama, jenis pengukuran, dan skala yang sama. Lingkungan atau kunci eksperimen berubah sebelum { $breaks } di antaranya.
    }
trend-others = Metrik lain
trend-runs = Uji
trend-runs-caption = { $runs } uji, terbaru lebih dahulu
trend-breaks-lead = Huruf sama dengan yang ada pada gambar: apa yang dicatat di sekitar suatu uji dan berbeda dari uji sebelumnya. Perubahan pada suatu huruf bisa berasal dari sana.
trend-column-run = uji
trend-column-started = dimulai, UTC
trend-column-before = berubah sebelumnya
trend-here = titik perubahan: { $ratio }
trend-facts = { $mark } · { $facts }
trend-steady-ones = { $count } deret tanpa perubahan
trend-how = Cara titik perubahan ditemukan
trend-how-more = dan kapan jeda digambar
trend-how-changes = Perubahan adalah pemisahan riwayat yang peringkat sebelum dan sesudahnya berbeda lebih besar daripada pada 99 % urutan acak dari nilai yang sama, dan rata-ratanya berbeda tidak kurang dari efek terkecil yang dinyatakan eksperimen (segmentasi biner menurut statistik t terbesar dari peringkat, dengan uji permutasi). Setidaknya dua uji berada di setiap sisi. Sedikit uji tidak menunjukkan perubahan: diperlukan sepuluh atau lebih. Perubahan yang lebih kecil daripada derau uji tidak terlihat, jadi "tidak ditemukan perubahan" bukan bukti bahwa tidak ada yang berubah.
trend-how-breaks = Jeda digambar sebelum uji yang lingkungannya berbeda dari uji sebelumnya: kernel, prosesor, versi program, pengaturan, drive di bawahnya. Garis rata-rata terputus di sana.
trend-all-runs = Semua uji
trend-tile-too-few = uji terlalu sedikit
trend-tile-least = Perubahan dapat ditemukan mulai dari { $least } uji.
