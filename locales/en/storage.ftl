### The storage of a bed: the drives under its data and its log.

storage-emulated = { $drive } (emulated)
storage-simulated = { $bed } (simulated)
storage-real = real storage
storage-of-server = whatever { $url } stands on
storage-of-data = the data's drive
storage-not-stated = storage not stated
storage-with-log = { $data }, log on { $log }
