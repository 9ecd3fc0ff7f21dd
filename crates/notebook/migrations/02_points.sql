-- Points: parts of a cell with a load and figures of their own, as the steps of a curve or the rounds before a steady state.
CREATE TABLE point (
    attempt          INTEGER NOT NULL REFERENCES attempt (id),
    position         INTEGER NOT NULL,
    kind             TEXT NOT NULL,
    name             TEXT NOT NULL,
    round            INTEGER NOT NULL,
    read_share       REAL,
    block_size_bytes INTEGER,
    depth            REAL,
    rate_asked       REAL,
    start_s          REAL NOT NULL,
    end_s            REAL NOT NULL,
    counts           INTEGER NOT NULL CHECK (counts IN (0, 1)),
    PRIMARY KEY (attempt, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE point_value (
    attempt  INTEGER NOT NULL,
    position INTEGER NOT NULL,
    metric   INTEGER NOT NULL REFERENCES metric (id),
    value    REAL NOT NULL,
    PRIMARY KEY (attempt, position, metric),
    FOREIGN KEY (attempt, position) REFERENCES point (attempt, position)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER point_is_kept BEFORE UPDATE ON point
BEGIN SELECT raise(ABORT, 'points are never changed'); END;
CREATE TRIGGER point_is_never_removed BEFORE DELETE ON point
BEGIN SELECT raise(ABORT, 'points are never removed'); END;
CREATE TRIGGER point_value_is_kept BEFORE UPDATE ON point_value
BEGIN SELECT raise(ABORT, 'values of points are never changed'); END;
CREATE TRIGGER point_value_is_never_removed BEFORE DELETE ON point_value
BEGIN SELECT raise(ABORT, 'values of points are never removed'); END;
