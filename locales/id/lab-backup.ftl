proof-conditions-hold = semua kondisi konsistensi terpenuhi
proof-conditions-violated = { $many } kondisi konsistensi dilanggar
drill-caught = bit { $bit } dari byte { $byte } dalam { $file } dibalik dan terdeteksi: { $error }
cycle-told = siklus { $number }: pencadangan { $database_mb } MB dalam { $backup_s } s ({ $files } file berukuran { $files_mb } MB, { $tool }); checksum semua file cocok; direstorasi dalam { $restore_s } s (file { $copied_s } s, start { $start_s } s); { $proof }
backup-simulated = model memindahkan setiap byte dari setiap salinan dalam waktu virtual; tidak ada yang ditulis, sehingga tidak ada restorasi yang dibuktikan dan tidak ada bit yang dibalik
cycle-simulated = siklus { $number }: pencadangan { $backup_mb } MB dalam { $backup_s } s; direstorasi dalam { $restore_s } s
proof-told = { $conditions }; { $rows } baris dalam { $tables } tabel dihitung checksum-nya; pembuktian memerlukan { $took_s } s
proof-told-orders = { $conditions }; { $rows } baris dalam { $tables } tabel dihitung checksum-nya; { $there } dari { $all } pesanan terkonfirmasi ada; pembuktian memerlukan { $took_s } s
