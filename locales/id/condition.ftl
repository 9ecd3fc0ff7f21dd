condition-rows = jumlah baris sama dengan yang dimuat
condition-ids = id adalah 1 hingga jumlah baris
condition-k = setiap k sekurang-kurangnya 1
condition-texts = setiap teks mengikuti polanya
condition-index = indeks pada k sesuai dengan tabel
