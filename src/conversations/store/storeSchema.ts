import type { DatabaseSync } from 'node:sqlite';
import { isObject } from '../../base/json.ts';
import type { SalvagePlan } from '../../storage/database.ts';
import { windowTables } from '../../storage/windowRegistry.ts';

/**
 * The schema of conversations. Times are in milliseconds since 1970; choices, requests, parameters, events,
 * `compared` and `extra` are JSON text. Large values have separate tables, so that lists and trees never read
 * them.
 *
 * There are no foreign keys, so that the recovery of a damaged file does not drop rows whose parent rows are lost.
 * Keys are never reused, and a message has a greater key than its parent, so a tree has no cycles, and messages
 * are ordered by key.
 */
export const storeMigrations: readonly string[] = [
  `
  CREATE TABLE conversations (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    -- the beginning of the first question, for lists
    beginning TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    changedAt INTEGER NOT NULL,
    head INTEGER,
    workspace TEXT,
    gateway TEXT,
    gatewayName TEXT,
    model TEXT,
    format TEXT,
    pinnedAt INTEGER,
    archivedAt INTEGER,
    deletedAt INTEGER,
    originSource TEXT,
    originId TEXT,
    forkOf TEXT,
    -- the ids of the last messages of the branches that are shown side by side, as a JSON array
    compared TEXT,
    -- the revision of the last change to the conversation or its messages
    revision INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX conversations_by_origin ON conversations (originSource, originId)
    WHERE originId IS NOT NULL;
  CREATE INDEX conversations_by_change ON conversations (changedAt);
  CREATE INDEX conversations_by_workspace ON conversations (workspace, changedAt) WHERE workspace IS NOT NULL;
  CREATE INDEX conversations_by_gateway ON conversations (gateway, changedAt) WHERE gateway IS NOT NULL;
  CREATE INDEX conversations_pinned ON conversations (changedAt) WHERE pinnedAt IS NOT NULL;
  CREATE INDEX conversations_archived ON conversations (changedAt) WHERE archivedAt IS NOT NULL;
  CREATE INDEX conversations_by_revision ON conversations (revision);
  CREATE INDEX conversations_deleted ON conversations (deletedAt) WHERE deletedAt IS NOT NULL;

  CREATE TABLE details (
    conversation INTEGER PRIMARY KEY,
    parameters TEXT,
    extra TEXT
  ) STRICT;

  CREATE TABLE messages (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    conversation INTEGER NOT NULL,
    id TEXT NOT NULL,
    parent INTEGER,
    role TEXT NOT NULL CHECK (role IN ('system', 'user', 'assistant', 'tool')),
    state TEXT NOT NULL CHECK (state IN ('arriving', 'done', 'stopped')),
    createdAt INTEGER NOT NULL,
    model TEXT,
    editOf TEXT,
    lastChild INTEGER,
    -- the window that receives it
    owner TEXT,
    deletedAt INTEGER,
    -- the key of the message with which it was deleted
    deletedWith INTEGER,
    UNIQUE (conversation, id)
  ) STRICT;
  CREATE INDEX messages_there ON messages (conversation) WHERE deletedAt IS NULL;
  CREATE INDEX messages_by_parent ON messages (parent) WHERE deletedAt IS NULL;
  CREATE INDEX messages_by_model ON messages (model, conversation) WHERE model IS NOT NULL;
  CREATE INDEX messages_arriving ON messages (owner) WHERE state = 'arriving';
  CREATE INDEX messages_deleted ON messages (deletedWith) WHERE deletedAt IS NOT NULL;

  CREATE TABLE contents (
    message INTEGER PRIMARY KEY,
    choices TEXT NOT NULL,
    request TEXT,
    extra TEXT
  ) STRICT;

  -- received events of messages that are not done
  CREATE TABLE chunks (
    key INTEGER PRIMARY KEY,
    message INTEGER NOT NULL,
    events TEXT NOT NULL
  ) STRICT;
  CREATE INDEX chunks_by_message ON chunks (message);

  -- the bytes are in files
  CREATE TABLE attachments (
    hash TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL,
    storedAt INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE attachmentUses (
    hash TEXT NOT NULL,
    message INTEGER NOT NULL,
    PRIMARY KEY (hash, message)
  ) STRICT;
  CREATE INDEX attachment_uses_by_message ON attachmentUses (message);

  -- by the id of the conversation, which is empty for the next new one
  CREATE TABLE drafts (
    conversation TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    attachments TEXT NOT NULL,
    -- references to code, as JSON
    context TEXT NOT NULL DEFAULT '[]',
    -- the selected models if there are several, as a JSON array; NULL for one
    models TEXT,
    changedAt INTEGER NOT NULL
  ) STRICT;

  -- one row for each request, even of purged conversations; an unreported count is NULL
  CREATE TABLE usage (
    conversation TEXT NOT NULL,
    message TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- in the local time zone at that time, such as 2030-01-31
    day TEXT NOT NULL,
    gateway TEXT,
    gatewayName TEXT,
    model TEXT NOT NULL,
    inputTokens INTEGER,
    outputTokens INTEGER,
    reasoningTokens INTEGER,
    cachedTokens INTEGER,
    cacheWriteTokens INTEGER,
    usd REAL,
    costSource TEXT,
    isCut INTEGER NOT NULL,
    PRIMARY KEY (conversation, message)
  ) STRICT;
  CREATE INDEX usage_by_time ON usage (at);

  -- grows with every change to conversations and messages
  CREATE TABLE revision (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    n INTEGER NOT NULL
  ) STRICT;
  INSERT INTO revision VALUES (1, 0);

  ${windowTables}
  `,
];

/**
 * The recovery of conversations from a damaged file, with all remaining text. A message without its parent
 * becomes a root, and a message without its conversation gets a new one.
 */
export const storeSalvage: SalvagePlan = {
  counted: 'conversations',
  fill: { title: '', beginning: '', createdAt: 0, changedAt: 0, revision: 0 },
  fillOthers: {
    messages: { role: 'user', state: 'done', createdAt: 0 },
    usage: { day: '', model: '', isCut: 0 },
  },
  after: `
    UPDATE conversations SET id = lower(hex(randomblob(16))) WHERE id IS NULL;
    UPDATE conversations SET compared = NULL WHERE iif(json_valid(compared), json_type(compared), '') <> 'array';
    UPDATE details SET parameters = NULL WHERE NOT is_json(parameters);
    UPDATE details SET extra = NULL WHERE NOT is_json(extra);
    UPDATE contents SET choices = json_array(json_array(json_object('type', 'text', 'text', choices)))
      WHERE NOT is_json(choices);
    UPDATE contents SET request = NULL WHERE NOT is_json(request);
    UPDATE contents SET extra = NULL WHERE NOT is_json(extra);
    DELETE FROM chunks WHERE NOT is_json(events);
    UPDATE drafts SET attachments = '[]' WHERE NOT is_json(attachments);
    UPDATE drafts SET context = '[]' WHERE NOT is_json(context);
    UPDATE drafts SET models = NULL WHERE iif(json_valid(models), json_type(models), '') <> 'array';

    INSERT INTO messages (key, conversation, id, role, state, createdAt)
      SELECT message, (SELECT 1 + max(key) FROM (SELECT 0 AS key UNION ALL SELECT key FROM conversations
          UNION ALL SELECT conversation FROM messages)), lower(hex(randomblob(16))), 'user', 'stopped', 0
      FROM (SELECT message FROM contents UNION SELECT message FROM chunks)
      WHERE message NOT IN (SELECT key FROM messages);
    -- for messages with filled-in values, and messages inserted above
    UPDATE messages SET role = 'assistant' WHERE createdAt = 0
      AND key IN (SELECT message FROM contents WHERE request IS NOT NULL UNION SELECT message FROM chunks);
    UPDATE messages SET state = 'arriving' WHERE createdAt = 0 AND key IN (SELECT message FROM chunks);
    UPDATE messages SET deletedAt = unixepoch() * 1000
      WHERE createdAt = 0 AND deletedWith IS NOT NULL AND deletedAt IS NULL;
    UPDATE messages SET createdAt = coalesce((SELECT createdAt FROM conversations WHERE key = conversation), 0)
      WHERE createdAt = 0;
    INSERT INTO contents (message, choices) SELECT key, '[]' FROM messages
      WHERE key NOT IN (SELECT message FROM contents);
    UPDATE messages SET parent = NULL WHERE parent >= key OR parent NOT IN (SELECT key FROM messages);
    INSERT INTO conversations (key, id, title, beginning, createdAt, changedAt, revision)
      SELECT conversation, lower(hex(randomblob(16))), '', '', min(createdAt), max(createdAt), 0
      FROM messages WHERE conversation NOT IN (SELECT key FROM conversations) GROUP BY conversation;
    UPDATE conversations SET head = (SELECT max(key) FROM messages WHERE conversation = conversations.key AND deletedAt IS NULL)
      WHERE head IS NULL OR head NOT IN (SELECT key FROM messages WHERE conversation = conversations.key);
    DELETE FROM details WHERE conversation NOT IN (SELECT key FROM conversations);
    UPDATE usage SET day = coalesce(strftime('%Y-%m-%d', at / 1000.0, 'unixepoch', 'localtime'), '') WHERE day = '';
    UPDATE conversations SET revision = (SELECT n FROM revision) + 1;
    UPDATE revision SET n = n + 1;
  `,
  derive: deriveAttachmentUses,
};

/** Lists the attachments of all messages. Only these rows prevent the deletion of their files. */
function deriveAttachmentUses(database: DatabaseSync): void {
  const use = database.prepare('INSERT OR IGNORE INTO attachmentUses (hash, message) VALUES (?, ?)');
  const contents = database.prepare(
    `SELECT message, choices FROM contents WHERE instr(choices, '"hash"') > 0`,
  );
  for (const { message, choices } of contents.iterate()) {
    for (const part of [JSON.parse(String(choices))].flat(2)) {
      if (isObject(part) && typeof part.hash === 'string') use.run(part.hash, Number(message));
    }
  }
  database.exec('DELETE FROM attachmentUses WHERE message NOT IN (SELECT key FROM messages)');
}
