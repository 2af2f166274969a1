import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import type { RequestsNode } from '../../src/host/requests/requestsView.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import { addEcho, assertNoCanary, canary, echo, echoHeaders } from '../support/canary.ts';
import { closeEditors } from '../support/closeEditors.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { readFailureReplies } from '../support/failureReplies.ts';
import { type ConnectionScript, type FaultServer, startFaultServer } from '../support/faultServer.ts';
import { createChunk } from '../support/faultServerCalls.ts';
import { findClosedPort } from '../support/forwardProxy.ts';
import { recordShownTexts, type ShownTexts } from '../support/shownTexts.ts';

/** A failing connection: the gateway's behaviour, or an address without a gateway. */
interface Failing {
  readonly title: string;
  readonly script?: ConnectionScript;
  readonly baseUrl?: () => Promise<string>;
  readonly credential?: string;
}

/** One reply of each class in the table, with the credential in every possible place. */
function createReplies(): readonly Failing[] {
  const byClass = new Map<string, Failing>();
  for (const row of readFailureReplies()) {
    if (byClass.has(row.failureClass) || row.status < 300) continue;
    const location = { location: `https://${canary.toLowerCase()}.example/?key=${canary}` };
    const headers = { ...echoHeaders, ...row.headers, ...(row.status < 400 && location) };
    // A header that requests a wait would delay the test.
    const { 'retry-after': _, ...sent } = headers as Record<string, string>;
    byClass.set(row.failureClass, {
      title: row.failureClass,
      script: (connection) => connection.respond(row.status, sent, addEcho(row)),
    });
  }
  return [...byClass.values()];
}

const broken: readonly Failing[] = [
  {
    title: 'a reply that is cut off',
    script: async (connection) => {
      await connection.beginStream();
      await connection.write(createChunk(`You sent ${canary.slice(0, 7)}`));
      await connection.write(createChunk(canary.slice(7)));
      connection.reset();
    },
  },
  { title: 'a connection that is broken off', script: (connection) => connection.reset() },
  {
    title: 'a reply that is not JSON',
    script: (connection) => connection.respond(200, echoHeaders, `{${echo}`),
  },
  {
    title: 'a web page',
    script: (connection) => connection.respond(200, echoHeaders, `<!doctype html><title>${echo}</title>`),
  },
  {
    title: 'an error in a reply with a good status',
    script: (connection) =>
      connection.respond(200, echoHeaders, JSON.stringify({ error: { message: echo, code: canary } })),
  },
  {
    title: 'a port that refuses connections',
    baseUrl: async () => `http://127.0.0.1:${await findClosedPort()}`,
  },
  { title: 'a credential that cannot be sent', script: () => {}, credential: `${canary} ${canary}` },
];

const model = 'failing/model';

describe('D13 the credential after every class of failure', () => {
  let services: Services;
  let server: FaultServer;
  let shown: ShownTexts;
  let chat: ChatPanel;
  let folder: string;
  let script: ConnectionScript = () => {};
  /** The number of searched texts. */
  let checked = 0;

  /** The keys of the created tasks. */
  const tasks: string[] = [];

  before(async () => {
    services = await getServices();
    folder = await mkdtemp(join(tmpdir(), 'sinks-'));
    server = await startFaultServer((connection, request) => script(connection, request));
    shown = recordShownTexts(['Verify', 'Show Steps', 'More…', 'Copy Details']);
    await useGateway(services, 'failing', server.baseUrl, canary);
    chat = await services.chats.open({ model });
    for (const view of ['models', 'tasks', 'requests'])
      await vscode.commands.executeCommand(`modelGateway.${view}.focus`);
  });

  after(async () => {
    shown.restore();
    await closeEditors();
    await services.requests.clear();
    for (const key of tasks) await services.tasks.remove(key);
    await services.gateways.remove('failing');
    await server.close();
    await rm(folder, { recursive: true });
  });

  afterEach(() => {
    for (const { sink, text } of shown.all.slice(checked)) assertNoCanary(text, sink);
    checked = shown.all.length;
  });

  const command = (id: string, ...parameters: readonly unknown[]) =>
    vscode.commands.executeCommand(`modelGateway.${id}`, ...parameters);

  for (const { title, baseUrl, script: ownScript, credential = canary } of [...createReplies(), ...broken]) {
    it(`is not in any text that VS Code shows or stores: ${title}`, async () => {
      script = ownScript ?? (() => {});
      await useGateway(services, 'failing', (await baseUrl?.()) ?? server.baseUrl, credential);
      const before = services.requests.recent.length;
      await chat.session.send(`A question that fails: ${title}`);
      await failTask();
      await command('models.verify', { id: model, owner: 'x' });
      await command('checkConnection');
      noteDocument('report of a check');
      noteRows();
      const failed = services.requests.recent.slice(0, services.requests.recent.length - before);
      assert.ok(failed.some(({ failure }) => failure) || credential !== canary, 'something failed');
      const row = listRequestRows().find((node) => isPost(node));
      if (row) await openAndCopy(row);
    });
  }

  it('is not in the HAR file of the exported requests', async () => {
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { showSaveDialog } = vscode.window;
    window.showSaveDialog = async () => vscode.Uri.file(join(folder, 'requests.har'));
    try {
      await command('requests.exportHar');
    } finally {
      window.showSaveDialog = showSaveDialog;
    }
    const text = await readFile(join(folder, 'requests.har'), 'utf8');
    assert.ok(JSON.parse(text).log.entries.length > broken.length);
    assertNoCanary(text, 'the HAR file');
  });

  it('is not in VS Code’s memory or files: log, storage, stored failures, chats and tasks', async () => {
    await services.storedFailures.settled();
    for (const key of services.memory.keys()) assertNoCanary(JSON.stringify(services.memory.get(key)), key);
    const folderOfCode = process.env.MODEL_GATEWAY_TEST_DATA ?? assert.fail('the runner names the folder');
    const entries = await readdir(folderOfCode, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    for (const name of ['Model Gateway.log', 'requests.sqlite', 'conversations.sqlite', 'tasks.sqlite'])
      assert.ok(
        files.some((file) => file.includes(name)),
        `${name} is among the files`,
      );
    for (const file of files) assertNoCanary(await readFile(file, 'latin1'), file);
  });

  it('was searched for in every place', () => {
    const sinks = new Set(shown.all.map(({ sink }) => sink));
    assert.deepEqual([...sinks].sort(), [
      'clipboard',
      'document of a request',
      'list of choices',
      'message to a page',
      'notification',
      'progress',
      'report of a check',
      'row of models',
      'row of requests',
      'row of tasks',
      'status bar',
    ]);
  });

  /** Makes a task whose request fails. */
  async function failTask(): Promise<void> {
    const { gateway } = services.connection.state;
    assert(gateway);
    const order = {
      ...toTaskGateway(gateway),
      route: 'videoSynthesis',
      model,
      prompt: 'A video that fails',
      request: { model, input: { prompt: 'A video that fails' } },
    } as const;
    const [task] = await services.tasks.create(order, randomUUID(), 1).catch(() => [undefined]);
    if (task) tasks.push(task.key);
    const now = () => services.tasks.get(task?.key ?? '');
    await waitForEvent(services.tasks.onDidChange, () => {
      const known = now();
      return known === undefined || !services.tasks.isInFlight(known);
    });
    shown.note('row of tasks', now());
  }

  function noteRows(): void {
    const { modelsView, tasksView, requestsView } = services;
    const views = { models: modelsView, tasks: tasksView, requests: requestsView };
    for (const [name, view] of Object.entries(views)) {
      const { getChildren, getTreeItem } = view as vscode.TreeDataProvider<object>;
      const all = (node?: object): readonly object[] => {
        const children = getChildren.call(view, node) as readonly object[];
        return children.flatMap((child) => [child, ...all(child)]);
      };
      for (const node of all()) {
        const item = getTreeItem.call(view, node) as vscode.TreeItem;
        const { label, description, tooltip, accessibilityInformation } = item;
        shown.note(`row of ${name}`, { label, description, tooltip, accessibilityInformation });
        if (name === 'models')
          shown.note('row of models', modelsView.resolveTreeItem(item, node as never).tooltip);
      }
    }
  }

  function listRequestRows(): readonly RequestsNode[] {
    return services.requestsView.getChildren();
  }

  function isPost(node: RequestsNode): boolean {
    if (node.kind !== 'request') return false;
    return services.requests.recent.some(({ id, method }) => id === node.id && method === 'POST');
  }

  function noteDocument(sink: string): void {
    shown.note(sink, vscode.window.activeTextEditor?.document.getText() ?? '');
  }

  async function openAndCopy(row: RequestsNode): Promise<void> {
    await command('requests.openRequest', row);
    noteDocument('document of a request');
    const copies = ['$(terminal) Copy as cURL', '$(terminal) Copy as cURL for PowerShell'];
    copies.push('$(file-code) Copy as .http File', '$(report) Copy Report', '$(tag) Copy Request ID');
    for (const copy of copies) {
      await answerDialogs(copy, () => command('requests.copy', row));
    }
  }
});
