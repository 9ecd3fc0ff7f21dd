ending-report = 보고서: { $file }
ending-next = 다음: { $command }
ending-next-settles = 다음: { $command }  (판정을 확정할 수 있음)
