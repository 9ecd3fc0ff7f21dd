-- Why a cell does not count, what names its limiter, and what is noted of a run, as data: JSON of the names and figures behind the
-- sentences in `reason`, `limiter_detail` and `text`. NULL where a notebook has the sentence alone.
ALTER TABLE attempt ADD COLUMN reasons TEXT;
ALTER TABLE attempt ADD COLUMN limiter_figures TEXT;
ALTER TABLE note ADD COLUMN remark TEXT;
DROP VIEW latest_attempt;
CREATE VIEW latest_attempt AS
SELECT id, cell, number, state, reason, reasons, limiter, limiter_detail, limiter_figures, started_at, ended_at
FROM attempt
WHERE number = (SELECT max(later.number) FROM attempt AS later WHERE later.cell = attempt.cell);
