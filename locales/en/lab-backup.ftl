### Cycles of backup and restore.

proof-conditions-hold = all consistency conditions hold
proof-conditions-violated = { $many } consistency conditions are violated
drill-caught = bit { $bit } of byte { $byte } of { $file } was turned over, and caught: { $error }
cycle-told = cycle { $number }: backup of { $database_mb } MB in { $backup_s } s ({ $files } files of { $files_mb } MB, { $tool }); checksums of all files hold; restored in { $restore_s } s (files { $copied_s } s, start { $start_s } s); { $proof }
backup-simulated = every byte of every copy in virtual time; nothing was written, so no restore was proven and no bit was turned over
cycle-simulated = cycle { $number }: backup of { $backup_mb } MB in { $backup_s } s; restored in { $restore_s } s
proof-told = { $conditions }; { $rows } rows in { $tables } tables summed up; proof took { $took_s } s
proof-told-orders = { $conditions }; { $rows } rows in { $tables } tables summed up; { $there } of { $all } acknowledged orders are there; proof took { $took_s } s
