proof-conditions-hold = 所有一致性条件成立
proof-conditions-violated = 违反了 { $many } 个一致性条件
drill-caught = { $file } 第 { $byte } 字节的第 { $bit } 位被翻转并被发现：{ $error }
cycle-told = 循环 { $number }：备份 { $database_mb } MB 用时 { $backup_s } s（{ $files } 个文件，{ $files_mb } MB，{ $tool }）；所有文件的校验和吻合；还原用时 { $restore_s } s（文件 { $copied_s } s，启动 { $start_s } s）；{ $proof }
backup-simulated = 模型在虚拟时间中移动了每份副本的每个字节；没有写入任何数据，因此没有验证还原，也没有翻转任何位
cycle-simulated = 循环 { $number }：备份 { $backup_mb } MB 用时 { $backup_s } s；还原用时 { $restore_s } s
proof-told = { $conditions }；对 { $tables } 张表中的 { $rows } 行计算了校验和；验证用时 { $took_s } s
proof-told-orders = { $conditions }；对 { $tables } 张表中的 { $rows } 行计算了校验和；{ $all } 个已确认订单中有 { $there } 个存在；验证用时 { $took_s } s
