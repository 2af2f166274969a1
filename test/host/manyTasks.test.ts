import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Services } from '../../src/host/app/services.ts';
import { formatShortTime } from '../../src/host/kit/display/timeWords.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';

const many = 10_000;

describe('ten thousand tasks', () => {
  let services: Services;
  const keys: string[] = [];
  let createdAt = 0;

  before(async function () {
    this.timeout(60_000);
    services = await getServices();
    await services.tasks.open();
    const file = join(dirname(services.tasks.resultsFolder), 'tasks.sqlite');
    const database = openDatabase({ path: file, migrations: ledgerMigrations });
    createdAt = Date.now();
    database.write(() => {
      for (let nth = 0; nth < many; nth += 1) {
        const key = randomUUID();
        keys.push(key);
        database.run(
          `INSERT INTO tasks (key, gateway, gatewayName, model, prompt, status, taskId, intendedAt, endedAt)
           VALUES (?, 'https://many.example', 'many', 'many', ?, 'completed', ?, ?, ?)`,
          key,
          `Prompt ${nth}`,
          `many-${nth}`,
          createdAt,
          createdAt,
        );
      }
      database.run('UPDATE revision SET n = n + 1');
    });
    database.close();
    await waitForEvent(services.tasks.onDidChange, () => services.tasks.all.length >= many);
  });

  after(async function () {
    this.timeout(60_000);
    for (const key of keys) services.tasks.remove(key);
  });

  function readCompleted() {
    const found = services.tasksView
      .getChildren()
      .find((node) => node.kind === 'group' && node.group === 'completed');
    assert.ok(found?.kind === 'group');
    return { count: found.count, children: services.tasksView.getChildren(found) };
  }

  it('are shown a hundred at a time, and all are counted', () => {
    const { count, children } = readCompleted();
    assert.ok(count >= many);
    assert.equal(children.length, 101);
    assert.equal(children.at(-1)?.kind, 'rest');
    services.tasksView.showMore('completed');
    assert.equal(readCompleted().children.length, 201);
  });

  it('are found by words of their prompts', () => {
    services.tasksView.filterBy('prompt 9999');
    const rows = readCompleted().children.map((node) => services.tasksView.getTreeItem(node));
    services.tasksView.filterBy('');
    const time = formatShortTime(createdAt);
    assert.deepEqual(
      rows.map(({ label, description }) => `${label} ${description}`),
      [`Prompt 9999 ${time} · no file · many`],
    );
  });
});
