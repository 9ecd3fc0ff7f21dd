### Perbedaan beban order entry dengan klausul TPC-C.

deviation-1-3 = di SQLite, yang tidak memiliki tipe desimal eksak, uang disimpan dalam sen utuh, pajak dan diskon dalam persepuluh ribu, dan tanggal dalam milidetik sejak 1970, semuanya sebagai bilangan bulat; server memakai desimal dan stempel waktu
deviation-2-2-2 = tidak ada terminal dan menu: pengguna virtual adalah thread atau task yang memanggil database, SQLite di dalam prosesnya sendiri
deviation-2-4-1-1 = dengan home = "all" pengguna mengundi gudangnya lagi untuk setiap transaksi dari gudang yang dilayaninya ("use all warehouses" pada HammerDB); home = "fixed" mengikuti klausul
deviation-2-4-1-5 = database dengan satu gudang tidak memiliki baris pesanan jarak jauh dan pembayaran jarak jauh
deviation-2-7-2 = Delivery dijalankan seketika selagi penggunanya menunggu: tidak ada antrean, berkas hasil, dan batas 80 s; distrik yang dilewati dihitung
deviation-3-4 = SQLite hanya mengizinkan satu penulis pada satu waktu, sehingga semua transaksi serializable dan penulis mengantre menurut kedatangan; server berjalan pada read committed dengan perubahan yang dihitung di bawah kuncinya, yang mencegah fenomena terlarang pada transaksi ini tanpa isolasi serializable
deviation-2-4-2 = di SQLite, transaksi yang harus menunggu giliran menulis membaca baris yang akan diubahnya satu kali sebelum gilirannya, di luar transaksi database, agar drive melihat banyak pengguna sekaligus
deviation-4-2 = jumlah pengguna virtual dipilih bebas, bukan sepuluh terminal per gudang, dan throughput per gudang tidak dibatasi
deviation-4-2-2 = eksperimen yang diskalakan memakai lebih sedikit gudang daripada yang diperlukan konfigurasi dengan throughput-nya
deviation-5-2-5 = kecuali eksperimen mengatur lajunya, pengguna tidak mengetik dan tidak berpikir: masing-masing mengirim transaksi berikutnya segera setelah transaksi terakhir dijawab
deviation-5-2-5-3 = batas waktu respons tidak diberlakukan; sebagai gantinya latensi dilaporkan
deviation-5-5-1-2 = waktu pengukuran adalah waktu eksperimen, bukan dua jam keadaan tunak dengan empat checkpoint
deviation-3-5 = durabilitas diuji dengan memutus daya drive yang diemulasi atau menghentikan paksa server; tidak ada uji kehilangan media, ruang 60 hari, dan harga
deviation-9 = tidak ada yang mengauditnya, dan hasilnya disebut NOPM dan TPM
deviation-keyed-times = waktu mengetik dan berpikir adalah waktu dari klausul dikalikan faktor `keyed_times` dari eksperimen
deviation-hammerdb-2-1-6 = hammerdb-like: pelanggan dan barang diundi merata, sehingga tidak ada barang atau pelanggan yang hot
deviation-hammerdb-2-4-1-4 = hammerdb-like: tidak ada New-Order yang di-rollback, karena New-Order HammerDB pada PostgreSQL di-commit saat seharusnya tidak
deviation-hammerdb-2-5-1-2 = hammerdb-like: pelanggan tidak pernah dicari menurut nama belakang, karena pencarian nama HammerDB dalam mode bawaannya tidak menemukan siapa pun: sekitar 29 % dari semua transaksi melewati pembacaan itu
deviation-hammerdb-5-2-4-2 = hammerdb-like: setiap transaksi diundi dengan peluang 10 : 10 : 1 : 1 : 1, tanpa deck, sehingga campuran pada uji singkat menyimpang
deviation-hammerdb-2-4-1-1 = hammerdb-like: dengan home = "fixed" setiap pengguna mengundi gudangnya, sehingga beberapa dapat berbagi satu gudang dan gudang lain tidak memiliki pengguna
