### Backups and restores.

shaded-first-cell = Shaded: the bed's own phases.
backup-restore = restore until it answers
backup-rate = backup, of the database
backup-restore-rate = restore, of the database
backup-files = backup's files
backup-written = written to the drive in the whole cell
backup-orders = new orders during backups
figure-own-share = this program's own share of the processors
backup-under-load = under { $at }
backup-not-provable = nothing was written, so nothing could be proven
backup-proven = { $proven } of { $cycles } restored instances were proven to hold what was backed up
backup-limit-simulated = A simulated restore ends with its last byte: the start of the instance and the proof of its contents are not modelled.
backup-limit = A restore is timed from its first byte until the instance answers; the proof (consistency conditions, every table's rows and checksum) follows and is not included.
backup-sentence = { $bed }, { $at }: a backup took { $backup } and a restore { $restore }; { $proven }.
backup-backup = backup
backup-database = database
backup-alone = alone
backup-bars-backup = Backup
backup-bars-restore = Restore, until the instance answers
backup-bars-at = { $work } ({ $at })
backup-bars-copy = copy
backup-bars-check = check of the copy
backup-bars-axis = seconds
backup-bars-reading = Mean of the repeats. Behind each bar its length and the 95 % interval; a whisker from four repeats on.
backup-title = { $bed }: a backup takes { $backup }, a restore { $restore }
backup-title-against = { $bed } backs up in { $backup } and restores in { $restore }; { $baseline } in { $backup_there } and { $restore_there }
