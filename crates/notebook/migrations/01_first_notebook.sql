-- The first notebook. Every table and column is described in SCHEMA.md; a test keeps the two in step.

CREATE TABLE run (
    id                         INTEGER PRIMARY KEY,
    name                       TEXT NOT NULL,
    title                      TEXT NOT NULL,
    question                   TEXT,
    experiment                 TEXT NOT NULL,
    published                  TEXT,
    seed                       TEXT NOT NULL,
    scale                      REAL NOT NULL,
    scale_statement            TEXT NOT NULL,
    realm                      TEXT NOT NULL,
    tool_version               TEXT NOT NULL,
    baseline                   TEXT NOT NULL,
    treatment                  TEXT NOT NULL CHECK (json_valid(treatment)),
    smallest_effect_throughput REAL NOT NULL,
    smallest_effect_p99        REAL NOT NULL,
    cell_order                 TEXT NOT NULL,
    work_dir                   TEXT NOT NULL,
    state                      TEXT NOT NULL CHECK (state IN ('running', 'finished', 'interrupted', 'failed')),
    started_at                 TEXT NOT NULL,
    ended_at                   TEXT
) STRICT;

CREATE TABLE bed (
    id              INTEGER PRIMARY KEY,
    run             INTEGER NOT NULL REFERENCES run (id),
    name            TEXT NOT NULL,
    label           TEXT,
    realm           TEXT NOT NULL,
    storage_summary TEXT NOT NULL,
    UNIQUE (run, name)
) STRICT;

CREATE TABLE bed_fact (
    bed   INTEGER NOT NULL REFERENCES bed (id),
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (bed, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE cell (
    id         INTEGER PRIMARY KEY,
    run        INTEGER NOT NULL REFERENCES run (id),
    position   INTEGER NOT NULL,
    bed        INTEGER NOT NULL REFERENCES bed (id),
    workload   TEXT NOT NULL,
    level      REAL NOT NULL,
    level_name TEXT NOT NULL,
    repeat     INTEGER NOT NULL,
    UNIQUE (run, position)
) STRICT;

CREATE TABLE attempt (
    id             INTEGER PRIMARY KEY,
    cell           INTEGER NOT NULL REFERENCES cell (id),
    number         INTEGER NOT NULL,
    state          TEXT NOT NULL CHECK (state IN ('planned', 'running', 'done', 'invalid', 'interrupted')),
    reason         TEXT,
    limiter        TEXT,
    limiter_detail TEXT,
    started_at     TEXT,
    ended_at       TEXT,
    UNIQUE (cell, number)
) STRICT;

CREATE TABLE phase (
    attempt  INTEGER NOT NULL REFERENCES attempt (id),
    position INTEGER NOT NULL,
    name     TEXT NOT NULL,
    start_s  REAL NOT NULL,
    end_s    REAL NOT NULL,
    PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;

-- A metric's name and unit are stored once; measurements, series and histograms point here.
CREATE TABLE metric (
    id   INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    unit TEXT NOT NULL,
    UNIQUE (name, unit)
) STRICT;

CREATE TABLE measurement (
    attempt INTEGER NOT NULL REFERENCES attempt (id),
    metric  INTEGER NOT NULL REFERENCES metric (id),
    value   REAL NOT NULL,
    PRIMARY KEY (attempt, metric)
) STRICT, WITHOUT ROWID;

CREATE TABLE series (
    id      INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempt (id),
    metric  INTEGER NOT NULL REFERENCES metric (id),
    start_s REAL NOT NULL,
    samples BLOB NOT NULL CHECK (length(samples) % 8 = 0),
    UNIQUE (attempt, metric)
) STRICT;

CREATE TABLE histogram (
    id      INTEGER PRIMARY KEY,
    attempt INTEGER NOT NULL REFERENCES attempt (id),
    metric  INTEGER NOT NULL REFERENCES metric (id),
    encoded BLOB NOT NULL,
    UNIQUE (attempt, metric)
) STRICT;

CREATE TABLE event (
    attempt  INTEGER NOT NULL REFERENCES attempt (id),
    position INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    count    INTEGER NOT NULL,
    message  TEXT NOT NULL,
    PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_set (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES run (id),
    scope    TEXT NOT NULL,
    added_at TEXT NOT NULL
) STRICT;
CREATE INDEX fact_set_of_run ON fact_set (run, scope);

CREATE TABLE fact (
    fact_set INTEGER NOT NULL REFERENCES fact_set (id),
    key      TEXT NOT NULL,
    value    TEXT NOT NULL,
    PRIMARY KEY (fact_set, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE note (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES run (id),
    kind     TEXT NOT NULL,
    text     TEXT NOT NULL,
    added_at TEXT NOT NULL
) STRICT;
CREATE INDEX note_of_run ON note (run);

CREATE TABLE published (
    run        INTEGER NOT NULL REFERENCES run (id),
    position   INTEGER NOT NULL,
    id         TEXT NOT NULL,
    study      TEXT NOT NULL,
    test       TEXT NOT NULL,
    system     TEXT NOT NULL,
    metric     TEXT NOT NULL,
    value      REAL NOT NULL,
    unit       TEXT NOT NULL,
    conditions TEXT NOT NULL,
    confidence TEXT NOT NULL,
    kind       TEXT NOT NULL,
    note       TEXT NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- Readers see the latest attempt of a cell; earlier ones stay on record.
CREATE VIEW latest_attempt AS
SELECT id, cell, number, state, reason, limiter, limiter_detail, started_at, ended_at
FROM attempt
WHERE number = (SELECT max(later.number) FROM attempt AS later WHERE later.cell = attempt.cell);

-- One line per measured number, in long form, for people with a SQL shell.
CREATE VIEW result AS
SELECT cell.run          AS run,
       cell.id           AS cell,
       bed.name          AS bed,
       cell.workload     AS workload,
       cell.level        AS level,
       cell.repeat       AS repeat,
       metric.name       AS metric,
       measurement.value AS value,
       metric.unit       AS unit,
       cell.level_name   AS level_name,
       latest_attempt.state AS state,
       bed.realm         AS realm,
       run.scale         AS scale
FROM measurement
JOIN metric         ON metric.id = measurement.metric
JOIN latest_attempt ON latest_attempt.id = measurement.attempt
JOIN cell           ON cell.id = latest_attempt.cell
JOIN bed            ON bed.id = cell.bed
JOIN run            ON run.id = cell.run;

-- What was measured is never changed and never removed: the file itself refuses, whatever the program does.
CREATE TRIGGER attempt_is_kept BEFORE UPDATE ON attempt
WHEN OLD.state NOT IN ('planned', 'running')
BEGIN SELECT raise(ABORT, 'an attempt that has ended is never changed'); END;
CREATE TRIGGER attempt_is_never_removed BEFORE DELETE ON attempt
BEGIN SELECT raise(ABORT, 'attempts are never removed'); END;
CREATE TRIGGER measurement_is_kept BEFORE UPDATE ON measurement
BEGIN SELECT raise(ABORT, 'measurements are never changed'); END;
CREATE TRIGGER measurement_is_never_removed BEFORE DELETE ON measurement
BEGIN SELECT raise(ABORT, 'measurements are never removed'); END;
CREATE TRIGGER series_is_kept BEFORE UPDATE ON series
BEGIN SELECT raise(ABORT, 'series are never changed'); END;
CREATE TRIGGER series_is_never_removed BEFORE DELETE ON series
BEGIN SELECT raise(ABORT, 'series are never removed'); END;
CREATE TRIGGER histogram_is_kept BEFORE UPDATE ON histogram
BEGIN SELECT raise(ABORT, 'histograms are never changed'); END;
CREATE TRIGGER histogram_is_never_removed BEFORE DELETE ON histogram
BEGIN SELECT raise(ABORT, 'histograms are never removed'); END;
CREATE TRIGGER phase_is_kept BEFORE UPDATE ON phase
BEGIN SELECT raise(ABORT, 'phases are never changed'); END;
CREATE TRIGGER phase_is_never_removed BEFORE DELETE ON phase
BEGIN SELECT raise(ABORT, 'phases are never removed'); END;
CREATE TRIGGER event_is_kept BEFORE UPDATE ON event
BEGIN SELECT raise(ABORT, 'events are never changed'); END;
CREATE TRIGGER event_is_never_removed BEFORE DELETE ON event
BEGIN SELECT raise(ABORT, 'events are never removed'); END;
