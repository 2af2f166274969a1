import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { ledgerMigrations } from '../../src/tasks/ledger/ledgerSchema.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { countLiveObjects, openOwnInspector } from '../support/liveObjects.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

const repetitions = 200;
/** The first repetitions fill caches. */
const usualFirst = 50;
/** The window keeps the latest 500 requests. */
const firstRequests = 500;

/** A leak grows in each part; timers and caches of VS Code do not. */
const parts = 4;
/** Fewer than one object for two repetitions. */
const maxGrowth = repetitions / parts / 2;

const models = ['red/one', 'green/two'];

describe('D19 the extension host does not have more objects after 200 repetitions of', function () {
  this.timeout(500_000);
  let services: Services;
  let gateway: ScriptedGateway;

  before(async () => {
    services = await getServices();
    // VS Code 1.139 itself never releases two objects of each row of a visible tree view.
    await vscode.commands.executeCommand('workbench.action.closeSidebar');
    gateway = await startScriptedGateway(models, (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(createTextChunk('A reply.', 'stop'));
    });
    await useGateway(services, 'repeated', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  after(async () => {
    await services.gateways.remove('repeated');
    await gateway.close();
  });

  async function closeAll(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (let chat = services.closedChats.take(); chat; chat = services.closedChats.take()) chat.dispose();
  }

  /** Repeats an action, and checks that the number of all live objects does not grow with the repetitions. */
  async function assertNoGrowth(act: () => Promise<unknown>, first = usualFirst): Promise<void> {
    const inspector = openOwnInspector();
    const run = async (count: number) => {
      for (let at = 0; at < count; at += 1) {
        await act();
        await closeAll();
        (gateway.requests as unknown[]).length = 0;
      }
      return countLiveObjects(inspector.send);
    };
    let last = await run(first);
    const growth: number[] = [];
    for (let part = 0; part < parts; part += 1) {
      const count = await run(repetitions / parts);
      growth.push(count - last);
      last = count;
    }
    inspector.close();
    assert.ok(
      Math.min(...growth) < maxGrowth,
      `${growth.join(', ')} more objects after ${repetitions / parts} repetitions each`,
    );
  }

  async function sendQuestion(question: string): Promise<string> {
    const { session } = await services.chats.open({ model: models[0] });
    await session.send(question);
    return session.id;
  }

  const remove = async (chat: string) =>
    createWaitingStore(await services.conversations.store()).delete(chat);

  it('opening a new chat', () => assertNoGrowth(() => services.chats.open({ model: models[0] })));

  it('opening a stored chat', async () => {
    const chat = await sendQuestion('Which bird?');
    await closeAll();
    await assertNoGrowth(() => openChat(services, chat));
    await remove(chat);
  });

  it('sending a request in a chat that is then deleted', () =>
    assertNoGrowth(async () => remove(await sendQuestion('Which bird?')), firstRequests));

  it('sending a comparison that is then deleted', () =>
    assertNoGrowth(async () => {
      const { session } = await services.chats.open({ model: models[0] });
      session.target.compare(models);
      await session.send('Which bird?');
      await remove(session.id);
    }, firstRequests / models.length));

  it('opening the page for videos', () => assertNoGrowth(() => services.generatePages.open({})));

  it('opening the page of a task', async () => {
    await services.tasks.open();
    const key = randomUUID();
    const file = join(dirname(services.tasks.resultsFolder), 'tasks.sqlite');
    const database = openDatabase({ path: file, migrations: ledgerMigrations });
    database.write(() => {
      database.run(
        `INSERT INTO tasks (key, gateway, gatewayName, model, prompt, status, taskId, intendedAt, endedAt)
         VALUES (?, 'https://one.example', 'one', 'one', 'A cat', 'completed', 'one', 1, 1)`,
        key,
      );
      database.run('UPDATE revision SET n = n + 1');
    });
    database.close();
    await waitForEvent(services.tasks.onDidChange, () => services.tasks.get(key) !== undefined);
    await assertNoGrowth(() => services.taskPages.open({ key }));
    services.tasks.remove(key);
  });

  it('opening the document of a request', async () => {
    await sendQuestion('Which bird?');
    await assertNoGrowth(async () => {
      const requestId = services.requests.recent[0]?.requestId;
      await vscode.commands.executeCommand('modelGateway.requests.openRequest', { requestId });
    });
  });
});
