import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import { storeMigrations, storeSalvage } from '../../src/conversations/store/storeSchema.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { longRuns } from '../support/longRuns.ts';
import { pageSize } from '../support/pageDamage.ts';
import { seed } from '../support/seed.ts';
import { createRandom } from '../support/seededRandom.ts';

const killCount = longRuns ? 150 : 8;
const chatCount = 1_500;

/** A schema of a later version, whose migration writes every row of the contents. */
const migrations = [
  ...storeMigrations,
  `ALTER TABLE contents ADD COLUMN later TEXT; UPDATE contents SET later = choices;`,
];

function open(path: string): Database {
  return openDatabase({ path, migrations, plan: storeSalvage });
}

/** Migrates a file, checks it and repairs it, as the worker of a window does. */
const child = `
  import { storeSalvage } from './src/conversations/store/storeSchema.ts';
  import { openDatabase } from './src/storage/database.ts';
  process.send('ready');
  process.on('message', () => {
    const migrations = ${JSON.stringify(migrations)};
    const database = openDatabase({ path: process.argv[2], migrations, plan: storeSalvage });
    database.check();
    database.close();
    process.send('done');
  });`;

describe('F91 a conversation file whose maintenance is killed', function () {
  this.timeout(900_000);
  let folder: string;
  let program: string;
  const sources = { 'a migration': 'old.sqlite', 'a repair': 'damaged.sqlite' };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'upkeep-'));
    program = join(folder, 'child.mjs');
    await build({
      stdin: { contents: child, resolveDir: '.', loader: 'ts' },
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
    for (const [name, version] of Object.entries({ old: 1, damaged: migrations.length })) {
      fill(join(folder, `${name}.sqlite`), version);
    }
    const damaged = join(folder, 'damaged.sqlite');
    const bytes = readFileSync(damaged);
    const page = Math.floor(bytes.length / pageSize / 2);
    writeFileSync(damaged, bytes.fill(0, page * pageSize, (page + 1) * pageSize));
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  function fill(path: string, version: number): void {
    const database = openDatabase({ path, migrations: migrations.slice(0, version) });
    const count = `WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${chatCount})`;
    database.write(() => {
      database.run(`${count} INSERT INTO conversations (key, id, title, beginning, createdAt, changedAt, head, revision)
        SELECT n, 'chat ' || n, 'title', '', 1, 1, n, 1 FROM n`);
      database.run(`${count} INSERT INTO messages (key, conversation, id, role, state, createdAt)
        SELECT n, n, 'message', 'user', 'done', 1 FROM n`);
      database.run(`${count} INSERT INTO contents (message, choices)
        SELECT n, json_array(json_array(json_object('type', 'text', 'text', printf('%.*c', 1500, 'x')))) FROM n`);
    });
    database.emptyLog();
    database.close();
  }

  /** @returns the time that the child took, if it had finished before it was to be killed */
  async function run(file: string, ms: number): Promise<number | undefined> {
    const process_ = spawn(process.execPath, [program, file], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const exit = once(process_, 'close');
    await once(process_, 'message');
    const begun = performance.now();
    process_.send('go');
    const done = once(process_, 'message').then(() => performance.now() - begun);
    const took = await Promise.race([done, pause(ms, undefined, { ref: false })]);
    process_.kill('SIGKILL');
    await exit;
    return took;
  }

  for (const [what, source] of Object.entries(sources)) {
    it(`contains every chat and leaves no temporary files after ${killCount} SIGKILLs during ${what} (seed ${seed})`, async () => {
      const random = createRandom(seed);
      const place = join(folder, 'place');
      const file = join(place, 'conversations.sqlite');
      const begin = () => {
        rmSync(place, { recursive: true, force: true });
        mkdirSync(place);
        copyFileSync(join(folder, source), file);
      };
      begin();
      const durationMs = (await run(file, 60_000)) ?? assert.fail('It took too long.');
      for (let round = 0; round < killCount; round++) {
        begin();
        await run(file, random() * durationMs);
        const database = open(file);
        database.check();
        assert.equal(database.all('SELECT id FROM conversations').length, chatCount);
        database.close();
        open(file).close();
        const remaining = readdirSync(place).filter(
          (name) => !/^conversations\.sqlite(?:\.lock)?$/.test(name),
        );
        const expected =
          what === 'a repair' ? /^corrupt-.*\.sqlite(?:-wal|-shm)?$/ : /^backup-v1-conversations\.sqlite$/;
        assert.deepEqual(
          remaining.filter((name) => !expected.test(name)),
          [],
        );
      }
    });
  }
});
