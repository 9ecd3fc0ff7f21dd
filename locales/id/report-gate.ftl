gate-reason = { $place }: { $value } dari acuan ({ $interval }, { $above } + { $below } sel), { $verdict }; { $settles }
gate-place = { $metric } dari { $workload } dengan { $at } pada { $bed }
gate-hint = sejauh ini { $verdict }: indikasi, bukan temuan
gate-smallest-effect = efek terkecil adalah { $smallest }
gate-more-repeats = sekitar { $repeats } ulangan dalam setiap uji akan memastikannya (--set design.repeats={ $repeats })
gate-no-repeats-settle = 500 ulangan lagi pun tidak akan memastikannya: perbedaannya terlalu dekat dengan efek terkecil dibandingkan deraunya
gate-no-metric = tidak ada metrik yang dinyatakan yang diukur dalam kedua uji
gate-not-judged = { $place } tidak dapat dinilai: { $reason }
gate-not-counted = { $cells } sel dari uji tidak dihitung, sehingga hasilnya tidak ada; yang pertama: { $first }
gate-passed = { $verdict }: { $run } tidak lebih buruk daripada { $baseline }
gate-failed = { $verdict }: { $run } lebih buruk daripada { $baseline }
gate-open = { $verdict }: { $run } tidak terbukti lebih buruk daripada { $baseline }, dan tidak pula terbukti setara atau lebih baik
gate-open-passes = { $verdict }, dianggap lulus: { $run } tidak terbukti lebih buruk daripada { $baseline }, dan tidak pula terbukti setara atau lebih baik
gate-refused = TIDAK DIBANDINGKAN: { $run } dengan { $baseline }
gate-exit-code = kode keluar { $exit_code }
gate-counts = { $checked } hasil yang dinyatakan diperiksa: { $worse } lebih buruk, { $equal } setara, { $better } lebih baik, { $undecided } belum pasti.
gate-columns = hasil | rasio, interval, dan efek terkecil
gate-more = dan { $left } lagi: `drivetrain check --full`
