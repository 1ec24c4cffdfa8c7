-- The log is the only truth: `events` is append-only, everything in `runs` but id, parent and epoch can be rebuilt.
PRAGMA application_id = 1347178317; -- "PLOM"
PRAGMA user_version = 1;

CREATE TABLE runs (
  run        INTEGER PRIMARY KEY,          -- order of opening; never reused
  id         TEXT    NOT NULL UNIQUE,      -- UUID v7
  parent     INTEGER REFERENCES runs(run), -- a fork shares its parent's log …
  fork_seq   INTEGER,                      -- … up to and with this position
  head       INTEGER NOT NULL DEFAULT 0,   -- seq of the newest event
  epoch      INTEGER NOT NULL DEFAULT 0,   -- raised by each claim; an older owner's writes are refused
  owner      TEXT,                         -- who claimed it last
  created_ms INTEGER NOT NULL,
  changed_ms INTEGER NOT NULL,
  summary    TEXT    NOT NULL DEFAULT '{}' -- cache for lists: state, counts, title
) STRICT;

CREATE TABLE events (
  key   INTEGER PRIMARY KEY,               -- run * 2^32 + seq: one b-tree, appended at its right edge
  at_ms INTEGER NOT NULL,                  -- UTC, for people; never decides anything
  kind  INTEGER NOT NULL,
  task  TEXT,
  body  TEXT    NOT NULL                   -- JSON
) STRICT;

CREATE TABLE payloads (
  id    INTEGER PRIMARY KEY,
  hash  BLOB    NOT NULL UNIQUE,           -- BLAKE3 of the JSON text
  bytes INTEGER NOT NULL,                  -- of the JSON text
  codec INTEGER NOT NULL,                  -- 0 as it is, 1 zstd
  data  BLOB    NOT NULL
) STRICT;
