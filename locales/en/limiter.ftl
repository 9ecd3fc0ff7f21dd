### The figures that name a limiter.

## A sentence of a notebook that kept no data beside it.

figures-told = { $text }
figures-users = users' time: drive reads { $drive_reads_percent } %, log { $log_percent } %, waiting for the one writer { $writer_percent } %, engine and client { $rest_percent } %; { $processors }
figures-sessions =
    { $samples ->
        [0] sessions of the server: none was seen at work; { $processors }
       *[other] sessions of the server: log { $log_percent } %, drive { $drive_percent } %, row locks { $locks_percent } %, processor and the rest { $rest_percent } % ({ $samples } samples); { $processors }
    }
figures-sessions-few = sessions of the server: seen at work in no more than { $samples } samples, which are too few for shares; { $processors }
figures-model = users' time in the model: processor { $processor_percent } %, waiting for a processor { $queue_percent } %, drive reads { $drive_reads_percent } %, log { $log_percent } %, fixed waits in the engine { $fixed_percent } %, network { $network_percent } %; CPU idle { $cpu_idle_percent } %
figures-workers = each worker: generator { $generator_percent } %, kernel { $kernel_percent } % of a processor
figures-workers-paced = { $iops } of { $asked_iops } IOPS requested; each worker: generator { $generator_percent } %, kernel { $kernel_percent } % of a processor
figures-workers-behind = missed its pace: { $iops } of { $asked_iops } IOPS requested; each worker: generator { $generator_percent } %, kernel { $kernel_percent } % of a processor
figures-model-paced = { $iops } of { $asked_iops } IOPS requested
figures-model-behind = missed its pace: { $iops } of { $asked_iops } IOPS requested; the rest waits for the model's storage
figures-model-unpaced = the model of a block load contains its storage alone
figures-no-answer = no request was answered for { $still_s } s of { $measured_s } s ({ $still_percent } %) while requests waited; in the rest { $moving }: { $rest }
figures-pace-kept = the requested rate was met: { $per_s } of { $asked_per_s }/s; { $rest }
figures-pace-missed = missed its pace: { $per_s } of { $asked_per_s }/s; { $rest }
figures-pace-above = ran above the requested rate: { $per_s } of { $asked_per_s }/s; { $rest }
figures-with-processors = { $rest }; { $processors }

processors-known = CPU idle { $idle_percent } %, other programs { $others_percent_of_busy } % of the busy time, steal { $steal_percent } %
processors-others-not-known = CPU idle { $idle_percent } %, other programs not known, steal { $steal_percent } %
processors-elsewhere = CPU not known, the server is on another machine
