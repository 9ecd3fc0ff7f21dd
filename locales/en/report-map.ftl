### Read latency over the load, as a figure: texts on its axes and how to read it.

map-median = Median
map-p95 = 95th percentile
map-title = { $percentile } of the read latency over the load: { $drive }
map-source-measured = measured: { $from }; model: in virtual time
map-source-model = model, in virtual time
map-measured = measured
map-model = model
map-reads = reads per second
map-writes = MB/s written
map-key = ms
map-title-judged = { $percentile }: the model is within 10 % of the measured one at { $within } of { $points } points that its fit did not see
map-reading = Each square is a rate of random reads beside a bandwidth of sequential writes. The line separates fast from slow. Blank: the drive did not sustain the load.
map-reading-limit = Next to loads that the drive does not sustain, the median error is { $near }, elsewhere { $elsewhere }.
map-error = error at points left out of the fit
map-hint = { $reads } reads/s, { $writes } MB/s written: { $value }
map-unreached = the drive does not reach these loads
map-column-measured = measured (ms)
map-column-model = model (ms)
map-column-error = error, left out
map-kicker = drive { $drive }, latency map
map-question = How well does the model know this drive?
map-answer = The model of { $drive } predicts loads that its fit did not see with a median error of { $p50 } in the median read latency and { $p95 } in the 95th percentile; nine in ten are within { $p50_nine } and { $p95_nine }.
map-answer-limit = Do not trust it close to the limit of the drive: there the median error of the 95th percentile is { $near }.
map-answer-alone = No latency map of { $drive } was measured. This is the model alone: there is no map to compare it with.
map-tile-points = Points of p95 within { $within }
map-tile-worst = Each point is predicted by a fit that did not see it. The largest error is { $error }, at { $reads } reads/s beside { $writes } MB/s written.
map-tile-numbers = Numbers of the model that are known
map-tile-unknown = Guessed: { $guesses }. Not identified by the data: { $open }.
map-tile-certificate = Certificate of the twin
map-certified = measured
map-not-certified = none
map-tile-no-certificate = `drivetrain profile --twin FILE PATH` runs a database on the drive and on its model and keeps the error here.
map-tile-other-numbers = The certificate of the file was measured with other numbers than it has now; `drivetrain profile --twin` measures a new one.
map-provenance-measured = Measured: { $from }
map-provenance-model = A model in virtual time
map-provenance-drive = { $maker }, { $interface }, { $gigabytes } GB
map-numbers-known = Every number of the model is known
map-numbers-title =
    { $unknown ->
        [one] { $unknown } number of the model is not known
       *[other] { $unknown } numbers of the model are not known
    }
map-numbers-lead = A number that the data do not determine has a stand-in, which its source explains. No number is better than the error of the model.
map-numbers-caption = The numbers of { $drive } as its file has them
map-column-known = known
map-column-source = source
map-known = yes
map-guess = guess
map-how = How this was made
map-how-more = the model's map, and its error
map-how-model = The model answers each load of the map in virtual time: random reads at a constant rate beside sequential writes at a constant bandwidth. Of a measured map only the points are shown at which the drive sustained the load.
map-how-error = For the error, every other point of the map is hidden, like the black squares of a chessboard. The drive is fitted to the other points, and that fit predicts the hidden ones. Then the colours change. It is the error between the measured points, and not the error of the measurement.
