-- Deleting keeps a run's row, so that neither its id nor its number is ever used again, and of its events only what
-- its forks still read.
PRAGMA user_version = 2;

ALTER TABLE runs ADD COLUMN deleted_ms INTEGER;             -- when a person deleted it; its log is told no more
ALTER TABLE runs ADD COLUMN kept INTEGER NOT NULL DEFAULT 0; -- of a deleted run: up to where its forks read its log

CREATE INDEX runs_forks ON runs (parent) WHERE parent IS NOT NULL;
-- Deleted runs whose events have not all gone yet.
CREATE INDEX runs_unswept ON runs (run) WHERE deleted_ms IS NOT NULL AND head > kept;
