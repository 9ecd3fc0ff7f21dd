factor-driver = lokasi driver beban
factor-rest = lainnya (host, tumpukan penyimpanan, pengontrol, waktu tunggu)
factor-of-drive = drive
factor-of-processor = prosesor
factor-of-network = jaringan
factor-of-memory = memori
