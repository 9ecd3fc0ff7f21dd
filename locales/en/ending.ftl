# The last lines of a command that has a result.
ending-report = report: { $file }
ending-next = next: { $command }
ending-next-settles = next: { $command }  (would settle the verdict)
