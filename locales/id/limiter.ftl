figures-told = { $text }
figures-users = waktu pengguna: pembacaan drive { $drive_reads_percent } %, log { $log_percent } %, menunggu satu-satunya penulis { $writer_percent } %, mesin database dan klien { $rest_percent } %; { $processors }
figures-sessions =
    { $samples ->
        [0] sesi server: tidak ada yang terlihat bekerja; { $processors }
       *[other] sesi server: log { $log_percent } %, drive { $drive_percent } %, kunci baris { $locks_percent } %, prosesor dan lainnya { $rest_percent } % ({ $samples } sampel); { $processors }
    }
figures-sessions-few = sesi server: hanya terlihat bekerja dalam { $samples } sampel, terlalu sedikit untuk pembagian; { $processors }
figures-model = waktu pengguna dalam model: prosesor { $processor_percent } %, menunggu prosesor { $queue_percent } %, pembacaan drive { $drive_reads_percent } %, log { $log_percent } %, tunggu tetap dalam mesin database { $fixed_percent } %, jaringan { $network_percent } %; CPU idle { $cpu_idle_percent } %
figures-workers = setiap worker: generator { $generator_percent } %, kernel { $kernel_percent } % dari satu prosesor
figures-workers-paced = { $iops } dari { $asked_iops } IOPS yang diminta; setiap worker: generator { $generator_percent } %, kernel { $kernel_percent } % dari satu prosesor
figures-model-paced = { $iops } dari { $asked_iops } IOPS yang diminta
figures-model-behind = laju target tidak tercapai: { $iops } dari { $asked_iops } IOPS yang diminta; sisanya menunggu penyimpanan model
figures-model-unpaced = model beban blok hanya memuat penyimpanannya
figures-no-answer = tidak ada permintaan yang dijawab selama { $still_s } s dari { $measured_s } s ({ $still_percent } %) padahal ada permintaan yang menunggu; di luar waktu itu { $moving }: { $rest }
figures-pace-kept = laju target tercapai: { $per_s } dari { $asked_per_s }/s; { $rest }
figures-pace-missed = laju target tidak tercapai: { $per_s } dari { $asked_per_s }/s; { $rest }
figures-pace-above = laju target terlampaui: { $per_s } dari { $asked_per_s }/s; { $rest }
figures-with-processors = { $rest }; { $processors }
processors-known = CPU idle { $idle_percent } %, program lain { $others_percent_of_busy } % dari waktu sibuk, steal { $steal_percent } %
processors-others-not-known = CPU idle { $idle_percent } %, program lain tidak diketahui, steal { $steal_percent } %
processors-elsewhere = CPU tidak diketahui, server berada di mesin lain
figures-workers-behind = laju target tidak tercapai: { $iops } dari { $asked_iops } IOPS yang diminta; setiap worker: generator { $generator_percent } %, kernel { $kernel_percent } % dari satu prosesor
