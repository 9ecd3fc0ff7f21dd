ending-report = laporan: { $file }
ending-next = berikutnya: { $command }
ending-next-settles = berikutnya: { $command }  (akan memastikan kesimpulan)
