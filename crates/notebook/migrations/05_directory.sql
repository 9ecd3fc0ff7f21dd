-- Where relative paths of the experiment begin: the working directory of the run. NULL where a notebook does not know it.
ALTER TABLE run ADD COLUMN directory TEXT;
