factor-differ = { $a } terhadap { $b } berbeda dalam { $factor }
factor-effect = { $x } terhadap { $y }: { $effect }
factor-count = { $nodes } node x { $each } = { $total }
factor-no-mirror = penulisan tidak dicerminkan melalui jaringan: bukan pengaturan produksi; hal ini menguntungkan setiap testbed dan menyembunyikan biaya jaringan
factor-no-replica = { $name }: tanpa replika (FTT=0)
factor-processor = prosesor
    .effect = pekerjaan yang sama memerlukan waktu prosesor yang berbeda
factor-nodes = node
    .effect = lebih banyak host, link, dan disk group
factor-drives = jumlah drive
    .effect = lebih banyak drive melayani beban
factor-drive = drive dan kapasitasnya
    .effect = drive yang diuji dan ukurannya
factor-storage-network = jaringan penyimpanan
    .effect = bandwidth dan latensi antarhost
factor-memory = memori
    .effect = biaya prosesor suatu transaksi dan porsi data dalam cache
factor-storage-path = jalur penyimpanan
    .effect = antrean dan latensi pengontrol hanya berlaku di satu sisi
factor-server = server
    .effect = mesin lain
factor-software = perangkat lunak
    .effect = versi lain berperilaku berbeda
factor-none = tidak ada
