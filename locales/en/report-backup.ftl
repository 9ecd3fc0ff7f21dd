### Backups and restores.

reading-lower-is-better = { $marks } Lower is better.
reading-restore = From the first byte until the restored instance answers; its proof is not in it.
reading-backup-rate = The database's size over the time of the backup, whatever the backup itself weighs.
reading-restore-rate = The database's size over the time of the restore.
shaded-first-cell = Shaded: what the first bed's cell did.
backup-restore = restore until it answers
backup-rate = backup, of the database
backup-restore-rate = restore, of the database
backup-files = backup's files
backup-written = written to the drive in the whole cell
backup-orders = new orders meanwhile
figure-own-share = this program's own share of the processors
backup-under-load = under { $at }
backup-not-provable = nothing was written, so nothing could be proven
backup-proven = { $proven } of { $cycles } restored instances were proven to hold what was backed up
backup-limit-simulated = A simulated restore ends with its last byte: starting the instance and proving what it holds are not modelled.
backup-limit = A restore is timed from its first byte until the instance answers; the proof (consistency conditions, every table's rows and checksum) comes after it and is not in the time.
backup-sentence = { $bed }, { $at }: a backup took { $backup } and a restore { $restore }; { $proven }.
backup-backup = backup
backup-database = database
backup-alone = alone
