/** SQL scripts of the counted requests. The first n scripts create version n. */
export const spendingMigrations: readonly string[] = [
  `CREATE TABLE total (
    day TEXT NOT NULL,
    -- the newest counted day while the clock is behind it; the request belongs to either of the days
    other_day TEXT NOT NULL DEFAULT '',
    -- the day on which the clock was first found to be behind the row's day
    ahead_since TEXT,
    gateway TEXT NOT NULL,
    initiator TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (day, other_day, gateway, initiator, currency)
  ) STRICT;
  CREATE TABLE reservation (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    day TEXT NOT NULL,
    other_day TEXT NOT NULL DEFAULT '',
    ahead_since TEXT,
    gateway TEXT NOT NULL,
    initiator TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    -- the costs in US dollars that the record of a task reports if its price is in another currency; both count
    reported_usd INTEGER,
    -- identifies the task that the request creates; its row stays, because its record may report other costs
    task TEXT,
    -- the model of a task of text, whose record reports tokens
    model TEXT,
    state TEXT NOT NULL DEFAULT 'sent' CHECK (state IN ('sent', 'settled', 'failed'))
  ) STRICT;
  CREATE INDEX reservation_by_task ON reservation (task) WHERE task IS NOT NULL;
  CREATE TABLE increase (
    limit_key TEXT NOT NULL,
    day TEXT NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (limit_key, day)
  ) STRICT;
  CREATE TABLE notice (
    limit_key TEXT NOT NULL,
    period TEXT NOT NULL,
    PRIMARY KEY (limit_key, period)
  ) STRICT`,
];
