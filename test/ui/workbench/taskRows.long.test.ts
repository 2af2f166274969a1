import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { ledgerMigrations } from '../../../src/tasks/ledger/ledgerSchema.ts';
import { Workbench } from '../../support/workbench.ts';
import { measureBoxes } from '../page/support/waits.ts';

const count = 46;

/** The time of a row: the date if it was before midnight. */
const time = String.raw`(?:\d\d:\d\d|[A-Z][a-z]+ \d+)`;
const subjects = [
  'A cat on a red roof at sunset',
  'A harbour at dawn',
  'A kite',
  'Rain on a window, macro shot',
];

/** A state of a task in the columns of the ledger. */
interface State {
  readonly status: string;
  readonly word: string;
  readonly progress: number | null;
  readonly problem: string | null;
  readonly failedAs: string | null;
  readonly endedAt: number | null;
  readonly watching: string;
}

/** Writes into the ledger of a window, as another window would. */
function writeLedger({ storage }: Workbench, write: (database: Database) => void): void {
  mkdirSync(storage, { recursive: true });
  const database = openDatabase({ path: join(storage, 'tasks.sqlite'), migrations: ledgerMigrations });
  database.write(() => {
    write(database);
    database.run('UPDATE revision SET n = n + 1');
  });
  database.close();
}

/** Writes tasks in mixed states. */
function insertTasks(database: Database): void {
  const now = Date.now();
  const problem = JSON.stringify({ message: 'The prompt was held back by a content filter' });
  const none = { progress: null, problem: null, failedAs: null, endedAt: null, watching: 'on' };
  const states: readonly State[] = [
    { ...none, status: 'running', word: 'queued', progress: 30 },
    { ...none, status: 'running', word: 'in_progress', progress: 60 },
    { ...none, status: 'completed', word: 'completed', endedAt: now },
    { ...none, status: 'failed', word: 'failed', problem, endedAt: now },
    { ...none, status: 'failed', word: 'cancelled', failedAs: 'cancelled', endedAt: now },
    { ...none, status: 'running', word: 'running', progress: 40, watching: 'stopped' },
  ];
  const mixed = Array.from({ length: 8 }, () => states)
    .flat()
    .slice(0, count);
  for (const [nth, state] of mixed.entries()) {
    const { status, word, progress, problem, failedAs, watching, endedAt } = state;
    const at = now - nth * 60_000;
    database.run(
      `INSERT INTO tasks (key, gateway, gatewayName, route, model, prompt, status, rawStatus, progress, problem, failedAs,
         watching, taskId, intendedAt, submittedAt, acceptedAt, endedAt)
       VALUES (?, 'https://rows.example', 'rows', 'videoSynthesis', 'wan-t2v', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      `rows-${nth}`,
      `${subjects[nth % subjects.length]}, take ${nth}`,
      status,
      word,
      progress,
      problem,
      failedAs,
      watching,
      `task-${nth}`,
      at,
      at,
      at,
      endedAt,
    );
  }
}

/** Drags the edge of the side bar to this width, in pixels. */
async function widen({ page }: Workbench, width: number): Promise<void> {
  const box = await page.locator('.part.sidebar').boundingBox();
  assert.ok(box);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width, y);
  await page.mouse.down();
  await page.mouse.move(box.x + width, y, { steps: 5 });
  await page.mouse.up();
}

describe('the rows of 46 tasks', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ name: 'rows', viewport: { width: 1000, height: 4300 } });
    await workbench.activity('Model Gateway').click();
    writeLedger(workbench, insertTasks);
    await workbench.treeRows('Tasks').nth(10).waitFor();
  });

  after(() => workbench.close());

  function row(name: RegExp) {
    return workbench.page.getByRole('treeitem', { name }).first();
  }

  it('show prompt, state, time and model, and no percentage for a queued task', async () => {
    await row(/^Queued, A cat on a re[^…]*, take 0, \d+:\d\d · queued · wan-t2v$/).waitFor();
    await row(/^Running, .*, \d+:\d\d · 60 % · wan-t2v$/).waitFor();
    await row(new RegExp(`^Completed without a result, .*, ${time} · no result · wan-t2v$`)).waitFor();
    await row(
      new RegExp(`^Failed, .*, ${time} · The prompt was held back by a content filter · wan-t2v$`),
    ).waitFor();
    await row(new RegExp(`^Cancelled, .*, ${time} · wan-t2v$`)).waitFor();
  });

  it('keep the row of an open menu while other tasks change, end and resume', async () => {
    const kite = workbench.treeRows('Tasks').filter({ hasText: 'A kite, take 2' }).first();
    await workbench.contextMenu(kite, 'Remove Task from This List…', async () => {
      writeLedger(workbench, (database) => {
        database.run(`UPDATE tasks SET progress = 61 WHERE key = 'rows-1'`);
        database.run(`UPDATE tasks SET status = 'completed', endedAt = intendedAt WHERE key = 'rows-7'`);
        database.run(`UPDATE tasks SET watching = 'on' WHERE key = 'rows-5'`);
      });
      await row(/^Running, .* · 61 %/).waitFor();
      await row(/^Completed.*, Rain on a window, macro shot, take \d+, /).waitFor();
      await row(/^Running, A harbour at.* · 40 %/).waitFor();
    });
    await workbench.dialog().getByText('Remove “A kite, take 2” from the list?').waitFor();
    await workbench.dialog().getByRole('button', { name: 'Cancel' }).click();
  });

  it('are reported as waiting for a missing gateway, with a button to connect', async () => {
    const notification = workbench.notification('Its tasks are paused until then');
    await notification.getByRole('button', { name: 'Connect to a Gateway…' }).waitFor();
    assert.equal(await notification.getByRole('button', { name: 'Set Credential…' }).count(), 0);
  });

  it('are readable at 250, 300 and 800 pixels, in every theme', async () => {
    await workbench.runCommand('Notifications: Clear All Notifications');
    for (const theme of ['dark', 'light', 'highContrast', 'highContrastLight'] as const) {
      await workbench.setTheme(theme);
      for (const width of [250, 300, 800]) {
        await widen(workbench, width);
        await workbench.screenshot(`tasks/rows-${theme}-${width}`);
        for (const state of [/^Running, /, /^Queued, /, /^Completed .*, take /, /^Failed, /]) {
          const sideBar = workbench.page.locator('.part.sidebar');
          const label = (await row(state).locator('.label-name').textContent()) ?? '';
          assert.match(label, /,\stake\s\d+$/, `only VS Code cuts the prompt: ${label}`);
          if (width < 800) continue;
          const [seen, edge] = await measureBoxes(row(state).locator('.label-description'), sideBar);
          assert.ok(seen.x + 40 < edge.x + edge.width, `the time is seen at ${width} pixels`);
        }
      }
    }
  });
});
