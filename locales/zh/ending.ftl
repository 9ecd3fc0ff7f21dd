ending-report = 报告：{ $file }
ending-next = 下一步：{ $command }
ending-next-settles = 下一步：{ $command }  （可使结论明确）
