/**
 * The schema of the index. All of it is derived from the conversations. There is a row of `texts` for the title of
 * each conversation, whose message is empty, for each message, and for the reasoning and the tools of a message.
 * The full-text table holds no texts but tokens, each once in a row.
 */
export const searchMigrations: readonly string[] = [
  `
  -- up to where the store is taken in: the last conversation by its revision and key
  CREATE TABLE taken (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    revision INTEGER NOT NULL,
    conversation INTEGER NOT NULL
  ) STRICT;
  INSERT INTO taken VALUES (1, -1, 0);

  CREATE TABLE conversations (
    key INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    -- in small letters, to filter by
    workspace TEXT NOT NULL,
    -- all that answered, in small letters, one a line
    models TEXT NOT NULL
  ) STRICT;

  CREATE TABLE texts (
    key INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    message TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('title', 'question', 'reply', 'reasoning')),
    -- of its message
    state TEXT NOT NULL,
    model TEXT,
    at INTEGER NOT NULL,
    hasImage INTEGER NOT NULL,
    UNIQUE (conversation, message, kind)
  ) STRICT;

  CREATE TABLE contents (
    key INTEGER PRIMARY KEY,
    text TEXT NOT NULL
  ) STRICT;

  -- by the keys of texts; made by tokensOf, which folds and divides texts: 'ascii' leaves them as they are
  CREATE VIRTUAL TABLE tokens USING fts5 (
    words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
  );
  `,
];

/** Empties the index, when the store that it was made of is another one. */
export const emptyIndex: readonly string[] = [
  'DELETE FROM conversations',
  'DELETE FROM texts',
  'DELETE FROM contents',
  `INSERT INTO tokens (tokens) VALUES ('delete-all')`,
  'UPDATE taken SET revision = -1, conversation = 0',
];
