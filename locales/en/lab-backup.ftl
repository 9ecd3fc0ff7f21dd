### Cycles of backup and restore.

proof-conditions-hold = all consistency conditions hold
proof-conditions-violated = { $many } consistency conditions are violated
drill-caught = bit { $bit } of byte { $byte } of { $file } was flipped and caught: { $error }
cycle-told = cycle { $number }: backup of { $database_mb } MB in { $backup_s } s ({ $files } files of { $files_mb } MB, { $tool }); the checksums of all files match; restored in { $restore_s } s (files { $copied_s } s, start { $start_s } s); { $proof }
backup-simulated = the model moved every byte of every copy in virtual time; nothing was written, so no restore was proven and no bit was flipped
cycle-simulated = cycle { $number }: backup of { $backup_mb } MB in { $backup_s } s; restored in { $restore_s } s
proof-told = { $conditions }; { $rows } rows in { $tables } tables checksummed; the proof took { $took_s } s
proof-told-orders = { $conditions }; { $rows } rows in { $tables } tables checksummed; { $there } of { $all } acknowledged orders are present; the proof took { $took_s } s
