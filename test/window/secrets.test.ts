import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { CredentialTimeoutError } from '../../src/client/credential.ts';
import { createGatewayClient } from '../../src/client/gatewayClient.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { Credentials } from '../../src/host/connection/credentials.ts';
import { failureMessage, formatShortFailure } from '../../src/host/connection/failureMessage.ts';
import { toTaskGateway } from '../../src/host/tasks/task/taskGateways.ts';
import type { Task } from '../../src/tasks/record/task.ts';
import { GatewayError } from '../../src/wire/failures/gatewayError.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

const canary = `canary-${randomBytes(18).toString('base64url')}`;

/** The forms in which a credential could leak. */
const forms: Readonly<Record<string, string>> = {
  raw: canary,
  base64: Buffer.from(canary).toString('base64'),
  base64url: Buffer.from(canary).toString('base64url'),
  hex: Buffer.from(canary).toString('hex'),
  slice: canary.slice(8, 20),
};

describe('P3 the credential', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  const messages: unknown[] = [];
  let chat: ChatPanel;
  let folder: string;

  before(async () => {
    services = await getServices();
    folder = await mkdtemp(join(tmpdir(), 'secrets-'));
    gateway = await startScriptedGateway(['provider/model'], (response, { authorization, body }) => {
      if (body.includes('Repeat')) return repeatCredential(response, authorization ?? '');
      if (body.includes('unclear')) return response.end(`{"note":"you sent ${authorization}"`);
      const error = {
        message: `Incorrect key provided: ${authorization}`,
        type: 'auth',
        code: 'invalid_api_key',
      };
      response.writeHead(401, { 'content-type': 'application/json', 'x-echo': authorization });
      return response.end(JSON.stringify({ error }));
    });
    await useGateway(services, 'secret', gateway.baseUrl, canary);
    await services.connection.refresh();
    chat = await services.chats.open({ model: 'provider/model' });
    const { webview } = chat.panel;
    const post = webview.postMessage.bind(webview);
    await new Promise<void>((listens) => {
      webview.postMessage = (message) => {
        messages.push(message);
        listens();
        return post(message);
      };
      chat.perform('focus-composer');
    });
    await chat.session.send('A question the gateway refuses, naming the credential in its error.');
    await chat.session.send('Repeat what I sent, in every word of the reply.');
    await makeTask(services, 'A video the gateway refuses', 'refused');
    await makeTask(services, 'A video with an unclear answer', 'unknown');
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  it('was sent with each request before the following searches', () => {
    assert.ok(gateway.requests.every(({ authorization }) => authorization === `Bearer ${canary}`));
    assert.ok(gateway.requests.length >= 2);
  });

  it('T15 is not in any message to the page', () => {
    assert.ok(messages.length > 0);
    assertAbsent(JSON.stringify(messages), 'a message to the page');
  });

  it('T16 is not in any setting', () => {
    const settings = vscode.workspace.getConfiguration('modelGateway').inspect('gateways');
    assertAbsent(JSON.stringify(settings), 'a setting');
  });

  it('is not in exported chats or in the usage report', async () => {
    const row = { kind: 'chat', id: chat.session.id };
    for (const format of ['JSON Lines', 'Markdown']) {
      await withSavePath(`one as ${format}`, () =>
        answerDialogs(format, () => vscode.commands.executeCommand('modelGateway.chats.export', row)),
      );
    }
    await withSavePath('all', () =>
      answerDialogs('All Chats', () => vscode.commands.executeCommand('modelGateway.chats.export')),
    );
    const files = await listFiles(folder);
    assert.equal(files.length, 3);
    for (const file of files) {
      const text = await readFile(file, 'utf8');
      assert.match(text, /You sent \[redacted\], and that was all\./, file);
      assertAbsent(text, file);
    }
    await answerDialogs('Open as Markdown', () =>
      vscode.commands.executeCommand('modelGateway.chats.export', row),
    );
    assertAbsent(vscode.window.activeTextEditor?.document.getText() ?? '', 'the chat as Markdown');
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('modelGateway.showUsage');
    const usage = vscode.Uri.from({ scheme: 'model-gateway-usage', path: '/Usage.md' });
    assertAbsent((await vscode.workspace.openTextDocument(usage)).getText(), 'the usage');
  });

  it('is not found by a search, which also writes the search index', async () => {
    const found = async (typed: string) => {
      const reply = await services.chatWorker.request('search', { text: typed, limit: 10 });
      assert(reply !== 'unavailable');
      return reply.hits.length;
    };
    assert.ok((await found('"that was all"')) > 0);
    assert.equal(await found(`"${canary}"`), 0);
  });

  it('is not in any file that VS Code or the extension writes, including logs and storage', async () => {
    const storage = vscode.extensions.getExtension('model-gateway.model-gateway');
    assert(storage);
    const files = await listFiles(await findServerFolder());
    assert.ok(
      files.some((file) => /Model Gateway\.log$/.test(file)),
      'the log is among the files',
    );
    for (const name of ['conversations.sqlite', 'search.sqlite']) {
      assert.ok(
        files.some((file) => file.endsWith(name)),
        `${name} is among the files`,
      );
    }
    for (const file of files) assertAbsent(await readFile(file, 'latin1'), file);
  });

  it('T25 is not in the arguments or the environment of a child process', async () => {
    await vscode.commands.executeCommand('modelGateway.tryDemo');
    const { credential } = await services.localGateway.start();
    for (const pid of await listChildProcesses()) {
      const facts = await Promise.all(
        ['cmdline', 'environ'].map((name) => readFile(`/proc/${pid}/${name}`, 'latin1')),
      );
      for (const fact of facts) {
        assertAbsent(fact, `process ${pid}`);
        assert.ok(!fact.includes(credential), `process ${pid} shows the local gateway’s credential`);
      }
    }
    services.localGateway.stop();
  });

  /** Chooses the path in the save dialog while `act` runs. */
  async function withSavePath(name: string, act: () => PromiseLike<unknown>): Promise<void> {
    const window = vscode.window as { -readonly [name in keyof typeof vscode.window]: unknown };
    const { showSaveDialog } = vscode.window;
    window.showSaveDialog = async () => vscode.Uri.file(join(folder, name));
    try {
      await act();
    } finally {
      window.showSaveDialog = showSaveDialog;
    }
  }
});

/** A reply with the credential in every text field, both split in the middle and whole. */
function repeatCredential(response: ServerResponse, authorization: string): void {
  const credential = authorization.slice('Bearer '.length);
  const [begin, end] = [credential.slice(0, 9), credential.slice(9)];
  response.writeHead(200, { 'content-type': 'text/event-stream', 'x-request-id': credential });
  const call = (text: string) => ({
    index: 0,
    id: credential,
    function: { name: credential, arguments: text },
  });
  const url_citation = { url: `https://gateway.example/?key=${credential}`, title: authorization };
  const deltas = [
    { reasoning_content: `They sent ${begin}` },
    { reasoning_content: end },
    { content: `You sent ${begin}` },
    { content: `${end}, and that was all. ` },
    { content: forms.base64 },
    { content: ` and ${forms.hex}`, annotations: [{ type: 'url_citation', url_citation }] },
    { tool_calls: [call(begin)] },
    { tool_calls: [call(end)] },
  ];
  const chunk = { id: credential, object: 'chat.completion.chunk', model: credential };
  for (const [nth, delta] of deltas.entries()) {
    const finish_reason = nth === deltas.length - 1 ? credential : null;
    const choices = [{ index: 0, delta, finish_reason }];
    response.write(`data: ${JSON.stringify({ ...chunk, service_tier: credential, choices })}\n\n`);
  }
  response.end(
    `data: ${JSON.stringify({ ...chunk, choices: [], usage: { total_tokens: 7 } })}\n\ndata: [DONE]\n\n`,
  );
}

/** Makes a task at the current gateway and waits for the outcome of its request. */
async function makeTask(services: Services, prompt: string, status: Task['status']): Promise<void> {
  const { gateway } = services.connection.state;
  assert(gateway);
  const model = 'provider/model';
  const order = {
    ...toTaskGateway(gateway),
    route: 'videoSynthesis',
    model,
    prompt,
    request: { model, input: { prompt } },
  } as const;
  const [task] = await services.tasks.create(order, randomUUID(), 1);
  await waitForEvent(
    services.tasks.onDidChange,
    () => services.tasks.get(task?.key ?? '')?.status === status,
  );
}

function assertAbsent(text: string, where: string): void {
  for (const [form, value] of Object.entries(forms)) {
    assert.ok(!text.includes(value), `${where} holds the credential (${form})`);
  }
}

/** The folder with all the files that this run's VS Code writes. */
async function findServerFolder(): Promise<string> {
  const folder = process.env.MODEL_GATEWAY_TEST_DATA;
  assert(folder, 'the runner names the folder of this VS Code');
  return folder;
}

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function listChildProcesses(): Promise<string[]> {
  const { pid } = process;
  return (await readFile(`/proc/self/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);
}

describe('a credential that the keyring does not return', () => {
  it('F100 is not treated as missing: the request is not sent, and the user sees the reason', async () => {
    const services = await getServices();
    const gateway = await startScriptedGateway(['provider/model'], (response) => response.end());
    const withoutKeyring = new Credentials(
      {
        secrets: { get: async () => undefined, onDidChange: () => new vscode.Disposable(() => {}) },
        globalState: { get: () => true },
      } as unknown as vscode.ExtensionContext,
      services.log,
    );
    const configured = { name: 'without-keyring', baseUrl: gateway.baseUrl };
    const client = createGatewayClient({
      baseUrl: gateway.baseUrl,
      credential: () => withoutKeyring.readForRequest(configured),
    });
    const error: unknown = await client.listModels().catch((thrown: unknown) => thrown);
    assert.ok(GatewayError.is(error, 'authentication'));
    const { title, actions } = failureMessage(error);
    assert.match(title, /keyring/);
    assert.equal(formatShortFailure(error), 'credential lost', 'in the status bar, too');
    assert.equal(actions[0], 'set-credential');
    assert.equal(gateway.requests.length, 0);
    await client.close();
    await gateway.close();
  });

  it('F101 is not treated as refused if the keyring does not respond: the user can only retry', async () => {
    const client = createGatewayClient({
      baseUrl: 'http://127.0.0.1:9',
      credential: () => Promise.reject(new CredentialTimeoutError('busy')),
    });
    const error: unknown = await client.listModels().catch((thrown: unknown) => thrown);
    assert.ok(GatewayError.is(error, 'authentication'));
    const { title, sentence, actions } = failureMessage(error);
    assert.equal(title, 'The credential could not be read');
    assert.match(sentence, /nothing was sent: try again\.$/);
    assert.deepEqual(actions, ['again', 'open-request', 'copy-details', 'open-help']);
    await client.close();
  });
});
