-- What people say about runs: a name and tags. The verdict is kept so that a list of runs need not compare each of them.
ALTER TABLE run ADD COLUMN label TEXT;
ALTER TABLE run ADD COLUMN verdict TEXT;
CREATE TABLE tag (
    run      INTEGER NOT NULL REFERENCES run (id),
    tag      TEXT NOT NULL,
    added_at TEXT NOT NULL,
    PRIMARY KEY (run, tag)
) STRICT, WITHOUT ROWID;
-- The numbers of removed runs: no later run gets one of them.
CREATE TABLE removed (
    run        INTEGER PRIMARY KEY,
    removed_at TEXT NOT NULL
) STRICT;
