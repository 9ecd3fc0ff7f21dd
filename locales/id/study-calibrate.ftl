parameter-on-bound = pada batas
parameter-identified = teridentifikasi
parameter-not-identified = tidak teridentifikasi
