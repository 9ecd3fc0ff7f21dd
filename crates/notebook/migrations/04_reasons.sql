-- Why a cell does not count, and what names its limiter, as data: JSON of the names and figures behind the sentences in `reason` and
-- `limiter_detail`. NULL where a notebook has the sentence alone.
ALTER TABLE attempt ADD COLUMN reasons TEXT;
ALTER TABLE attempt ADD COLUMN limiter_figures TEXT;
DROP VIEW latest_attempt;
CREATE VIEW latest_attempt AS
SELECT id, cell, number, state, reason, reasons, limiter, limiter_detail, limiter_figures, started_at, ended_at
FROM attempt
WHERE number = (SELECT max(later.number) FROM attempt AS later WHERE later.cell = attempt.cell);
