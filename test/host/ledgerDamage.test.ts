import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { Ledger } from '../../src/tasks/ledger/ledger.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, waitForEvent } from '../support/extensionServices.ts';
import { damages, overwrite, pageSize, readPage } from '../support/pageDamage.ts';

const taskCount = 60;

describe('F95 a ledger that breaks while windows have it open', () => {
  let services: Services;
  let other: { readonly ledger: Ledger; readonly database: Database };
  let file: string;

  before(async () => {
    services = await getServices();
    await services.tasks.open();
    file = join(dirname(services.tasks.resultsFolder), 'tasks.sqlite');
    const database = openDatabase({ path: file, migrations: ledgerMigrations });
    other = { database, ledger: new Ledger(database, { window: randomUUID() }) };
  });
  after(async () => {
    for (const { key } of services.tasks.all) await services.tasks.remove(key);
    other.ledger.close();
  });

  it('remains usable in all windows without a reload, and one window reports once what was recovered', async () => {
    for (let n = 0; n < taskCount; n++) createSentTask(`task-${n}`);
    await waitForEvent(services.tasks.onDidChange, () => services.tasks.all.length >= taskCount);
    const before = services.tasks.all.length;
    other.database.all('PRAGMA wal_checkpoint(TRUNCATE)');
    const bytes = readFileSync(file);
    const pages = Array.from({ length: bytes.length / pageSize }, (_, number) => number);
    const page = pages.find((number) => {
      const content = readPage(bytes, number);
      return content[0] === 13 && content.includes('id-task-');
    });
    assert.ok(page !== undefined, 'the tasks are in the file');

    const seen = await answerDialogs(undefined, async () => {
      overwrite(file, damages['random bytes']?.(bytes, page) ?? bytes);
      // This makes the extension's cache of the file outdated.
      other.ledger.create(createDraft('one more'));
      const noticeShown = waitForEvent(
        services.tasks.onDidChange,
        () => listSetAside().length > 0 && services.tasks.all.length > 0,
      );
      const warned = waitForWarning();
      await noticeShown;
      // The worker reports the saved tasks after the file exists.
      if (other.database.setAside === undefined) await warned;
    });

    assert.equal(listSetAside().length, 1);
    // A window that did not see the damage notices the new file at its next write.
    createSentTask('after that');
    await waitForEvent(services.tasks.onDidChange, () => {
      const { all } = services.tasks;
      return all.some(({ key }) => key === 'after that') && all.length === other.ledger.list().length;
    });
    const remaining = services.tasks.all.length;
    assert.ok(remaining > before / 2 && remaining <= before + 2, String(remaining));
    const texts = seen.map(({ message }) => message).filter((text) => text.includes('damaged'));
    assert.equal(texts.length, other.database.setAside === undefined ? 1 : 0);
    for (const text of texts)
      assert.match(text, /tasks recovered: \d+(?:, lost: |\. Parts of their content may be lost)/);
  });

  function listSetAside(): readonly string[] {
    return readdirSync(dirname(file)).filter((name) => /^corrupt-.*tasks\.sqlite$/.test(name));
  }

  function createSentTask(key: string): void {
    other.ledger.create(createDraft(key));
    other.ledger.claimSubmission(key, `request-${key}`);
    other.ledger.accept(key, `id-${key}`);
    other.ledger.setWatching(key, 'stopped');
  }

  function createDraft(key: string) {
    const request = { model: 'film-1', input: { prompt: key } };
    const names = { gateway: 'demo', gatewayName: localEntry.name };
    return { key, ...names, route: 'videoSynthesis', model: 'film-1', prompt: key, request } as const;
  }
});

/** Resolves when the extension shows a warning. */
function waitForWarning(): Promise<void> {
  const { showWarningMessage } = vscode.window;
  return new Promise((resolve) => {
    const warn = (...words: Parameters<typeof showWarningMessage>) => {
      resolve();
      return showWarningMessage(...words);
    };
    Object.assign(vscode.window, { showWarningMessage: warn });
  });
}
