### Penyimpanan testbed: drive untuk data dan log-nya.

storage-emulated = { $drive } (emulasi)
storage-simulated = { $bed } (simulasi)
storage-real = penyimpanan nyata
storage-of-server = penyimpanan yang dipakai { $url }
storage-of-data = drive data
storage-not-stated = penyimpanan tidak disebutkan
storage-with-log = { $data }, log di { $log }
