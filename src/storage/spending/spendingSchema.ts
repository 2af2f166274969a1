/** The key of a gateway without its address, from the extension's earlier key. */
const currentKey = `CASE gateway WHEN 'demo' THEN 'local/Demo gateway'
  ELSE 'gateway/' || substr(gateway, 1, instr(gateway, '@http') - 1) END`;
const hasEarlierKey = "(gateway = 'demo' OR instr(gateway, '@http') > 0)";

/** SQL scripts of the counted requests. The first n scripts create version n. */
export const spendingMigrations: readonly string[] = [
  `CREATE TABLE total (
    day TEXT NOT NULL,
    gateway TEXT NOT NULL,
    initiator TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    requests INTEGER NOT NULL,
    PRIMARY KEY (day, gateway, initiator, currency)
  ) STRICT;
  CREATE TABLE reservation (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    day TEXT NOT NULL,
    gateway TEXT NOT NULL,
    initiator TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount INTEGER NOT NULL,
    tokens INTEGER NOT NULL,
    -- identifies the task that the request creates; its row stays, because its record may report other costs
    task TEXT,
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
  `ALTER TABLE reservation ADD COLUMN other_day TEXT NOT NULL DEFAULT '';
  ALTER TABLE reservation ADD COLUMN ahead_since TEXT;
  ALTER TABLE total RENAME TO earlier_total;
  CREATE TABLE total (
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
  INSERT INTO total (day, gateway, initiator, currency, amount, tokens, requests)
    SELECT day, gateway, initiator, currency, amount, tokens, requests FROM earlier_total;
  DROP TABLE earlier_total`,
  // The costs that the record of a task reports in US dollars if its price is in another currency. Both count.
  'ALTER TABLE reservation ADD COLUMN reported_usd INTEGER',
  `UPDATE reservation SET gateway = ${currentKey} WHERE ${hasEarlierKey};
  INSERT INTO total SELECT day, other_day, MIN(ahead_since), ${currentKey} AS new_key, initiator, currency,
      SUM(amount), SUM(tokens), SUM(requests)
    FROM total WHERE ${hasEarlierKey} GROUP BY day, other_day, new_key, initiator, currency;
  DELETE FROM total WHERE ${hasEarlierKey}`,
];
