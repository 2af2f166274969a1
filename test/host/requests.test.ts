import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { localEntry } from '../../src/host/connection/gateways.ts';
import type { RequestsNode } from '../../src/host/requests/requestsView.ts';
import { StorageError } from '../../src/storage/database.ts';
import { answerDialogs, answerDialogsInTurn } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { type FaultServer, startFaultServer } from '../support/faultServer.ts';
import { chatRequest, createChunk } from '../support/faultServerCalls.ts';

const credential = 'canary-credential-55QxT21';
const promptCanary = 'what-was-asked-in-confidence';
/** With a price, so that the price list is not requested later. */
const list = '{"data":[{"id":"model-a","pricing":{"prompt":"0.000001","completion":"0.000001"}}]}';
const behind = { 'x-upstream': 'work', 'x-gateway-skipped-models': 'home/m (429)' };

describe('the Requests view', () => {
  let services: Services;
  let server: FaultServer;

  before(async () => {
    services = await getServices();
    server = await startFaultServer(async (connection, { path, body }) => {
      if (path.startsWith('/v1/models')) {
        await connection.respond(200, { 'content-type': 'application/json' }, list);
      } else if (body.includes('refuse')) {
        const error = `{"error":{"message":"no [link](command:x)\u202e ${credential}"}}`;
        await connection.respond(
          403,
          { 'content-type': 'application/json', 'x-echo': credential, ...behind },
          error,
        );
      } else {
        await connection.beginStream();
        await connection.write(createChunk('Hello', 'stop'));
        await connection.write('data: [DONE]\n\n');
        connection.end();
      }
    });
    await useGateway(services, 'requests', server.baseUrl, credential);
    await services.connection.refresh();
    await vscode.commands.executeCommand('modelGateway.requests.focus');
  });

  after(async () => {
    await services.gateways.remove('requests');
    await server.close();
  });

  beforeEach(async () => {
    await services.requests.clear();
    const client = await services.connection.getClient();
    await client.chatCompletions(chatRequest, () => {});
    const refused = [{ role: 'user' as const, content: `refuse ${promptCanary}` }];
    await client.chatCompletions({ ...chatRequest, messages: refused }, () => {});
    await services.storedFailures.settled();
  });

  afterEach(async () => {
    services.requestsView.filterBy(undefined);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  function listRows(): readonly RequestsNode[] {
    return services.requestsView.getChildren();
  }

  function getItem(row: RequestsNode): vscode.TreeItem {
    return services.requestsView.getTreeItem(row);
  }

  function findFailedRow(): RequestsNode {
    return listRows()[0] ?? assert.fail('there is a row');
  }

  async function readShownText(): Promise<string> {
    return vscode.window.activeTextEditor?.document.getText() ?? '';
  }

  /** Whether one of the files of stored failures contains this text. */
  function isOnDisk(words: string): boolean {
    const folder = dirname(services.conversations.file);
    const names = readdirSync(folder).filter((name) => name.includes('requests.sqlite'));
    return names.some((name) => readFileSync(join(folder, name)).includes(words));
  }

  it('lists each request, newest first, with its outcome', () => {
    const [first, second] = listRows().map(getItem);
    assert.equal(first?.label, 'Chat model-a');
    assert.match(String(first?.description), /^403 · The gateway refused the credential · \S+ (?:ms|sec) · /);
    assert.match(String(first?.tooltip), /Message from the gateway: “no \[link\] ?\(command:x\)/);
    assert.match(String(first?.contextValue), /\bfailed\b/);
    assert.match(String(second?.description), /^200 · \S+ (?:ms|sec) · first byte .* · /);
    assert.match(String(first?.tooltip), /Request ID: [\da-f-]{36}/);
  });

  it('does not replace a row when another request arrives', async () => {
    const before = findFailedRow();
    await (await services.connection.getClient()).listModels();
    assert.equal(listRows()[1], before);
  });

  it('opens the request of a failure by its request id', async () => {
    const [failed] = services.requests.recent;
    await vscode.commands.executeCommand('modelGateway.requests.openRequest', {
      requestId: failed?.requestId,
    });
    assert.ok(vscode.window.activeTextEditor?.document.getText().includes(failed?.requestId ?? '?'));
  });

  it('T21 opens a request as a document without the credential, and with hidden characters escaped', async () => {
    await vscode.commands.executeCommand('modelGateway.requests.openRequest', findFailedRow());
    const text = await readShownText();
    assert.match(text, /^# Chat model-a\n/);
    assert.match(text, /authorization: Bearer \$MODEL_GATEWAY_CREDENTIAL/);
    assert.match(text, /- Class: authentication/);
    assert.match(text, /- Upstream: work\n- Skipped models: home\/m \(429\)/);
    assert.match(text, /\\u\{202e\}/);
    assert.ok(text.includes(promptCanary));
    assert.ok(!text.includes(credential));
    assert.equal(vscode.window.activeTextEditor?.document.languageId, 'markdown');
    assert.equal(vscode.window.activeTextEditor?.document.isDirty, false);
  });

  it('shows the events of a stream with their times', async () => {
    await vscode.commands.executeCommand('modelGateway.requests.openRequest', listRows()[1]);
    const text = await readShownText();
    assert.match(text, /\+ *\d+ ms {2}data: \{"id":"c".*Hello/);
    assert.match(text, /\+ *\d+ ms {2}data: \[DONE\]/);
  });

  it('copies a request as a command, a file, a report and an id, always without the credential', async () => {
    const copied = async (entry: string) => {
      await answerDialogs(entry, () =>
        vscode.commands.executeCommand('modelGateway.requests.copy', findFailedRow()),
      );
      const text = await vscode.env.clipboard.readText();
      assert.ok(!text.includes(credential), entry);
      return text;
    };
    assert.match(await copied('$(terminal) Copy as cURL'), /^curl 'http.*"\$MODEL_GATEWAY_CREDENTIAL"/s);
    assert.match(await copied('$(terminal) Copy as cURL for PowerShell'), /\$env:MODEL_GATEWAY_CREDENTIAL/);
    assert.match(await copied('$(file-code) Copy as .http File'), /^POST http/);
    const report = await copied('$(report) Copy Report');
    assert.match(report, /VS Code: 1\.\d+/);
    assert.match(report, /Class: authentication/);
    assert.ok(!report.includes(promptCanary));
    assert.match(await copied('$(tag) Copy Request ID'), /^[\da-f-]{36}$/);
  });

  it('sends an edited request once, and shows the new request', async () => {
    const before = server.requests.length;
    await vscode.commands.executeCommand('modelGateway.requests.sendAgain', findFailedRow());
    const editor = vscode.window.activeTextEditor ?? assert.fail('the body is shown');
    assert.equal(server.requests.length, before, 'opening the view does not send a request');
    const text = editor.document.getText();
    const all = new vscode.Range(0, 0, editor.document.lineCount, 0);
    const edited = text.replace(`refuse ${promptCanary}`, 'be kind').replace('"model-a"', '"model-b"');
    await editor.edit((edit) => edit.replace(all, edited));
    await vscode.commands.executeCommand('modelGateway.requests.send');
    assert.equal(server.requests.length, before + 1);
    assert.match(server.requests.at(-1)?.body ?? '', /be kind/);
    assert.match(String(getItem(findFailedRow()).description), /^200 ·/);
    assert.match(await readShownText(), /^# Chat model-b\n/);
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('fills the Generate page from the request of a task, and does not send it', async () => {
    const client = await services.connection.getClient();
    await client.startInteraction({ model: 'video-a', input: 'x' }).catch(() => {});
    const before = server.requests.length;
    // Other tests may leave a form unsent.
    await answerDialogs('Replace', () =>
      vscode.commands.executeCommand('modelGateway.requests.sendAgain', findFailedRow()),
    );
    assert.equal(server.requests.length, before);
    const { panel, session } = await services.generatePages.open({});
    panel.dispose();
    const { route, model, body } = session.createProposal();
    assert.deepEqual([route, model, body.input], ['interactions', 'video-a', 'x']);
  });

  it('needs confirmation before it replaces unsent values in the Generate form', async () => {
    const client = await services.connection.getClient();
    await client.startInteraction({ model: 'video-a', input: 'x' }).catch(() => {});
    const page = await services.generatePages.open({});
    page.session.setValues({ input: 'A prompt that was not sent' });
    const sendAgain = (answer: string | undefined) =>
      answerDialogs(answer, () =>
        vscode.commands.executeCommand('modelGateway.requests.sendAgain', findFailedRow()),
      );
    const [dialog] = await sendAgain(undefined);
    assert.equal(dialog?.message, 'Replace the content of the Generate form?');
    assert.deepEqual(page.session.values, { input: 'A prompt that was not sent' });
    await sendAgain('Replace');
    assert.equal(page.session.createProposal().body.input, 'x');
    page.panel.dispose();
  });

  it('lists requests of other programs to the local gateway without their content, and its own ones once', async () => {
    const { baseUrl, credential: key } = await services.localGateway.start();
    const own = await (await services.connection.get(localEntry).getClient()).chatCompletions(
      { ...chatRequest, model: 'demo/chat' },
      () => {},
    );
    const foreignRequestId = 'said-by-another-program';
    const ask = (model: string, id: string) =>
      fetch(`${baseUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': id },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: foreignRequestId }] }),
      }).then((reply) => reply.text());
    await ask('demo/chat', 'from-elsewhere-1');
    await ask('no/such-model', 'from-elsewhere-2');
    const shown = (id: string) => services.requests.recent.filter(({ requestId }) => requestId === id);
    await waitForEvent(services.requests.onDidChange, () => shown('from-elsewhere-2').length > 0);
    const [good] = shown('from-elsewhere-1');
    const [bad] = shown('from-elsewhere-2');
    assert.deepEqual(
      [good?.route, good?.model, good?.status, good?.caller, good?.notes?.upstream],
      ['chatCompletions', 'demo/chat', 200, '', 'demo'],
    );
    assert.equal(bad?.failure?.kind, 'model-unavailable');
    assert.equal(shown(own.requestId).length, 1);
    assert.equal(shown(own.requestId)[0]?.caller, undefined);
    await vscode.commands.executeCommand('modelGateway.requests.openRequest', {
      requestId: 'from-elsewhere-1',
    });
    const text = await readShownText();
    assert.match(text, /- Sent by: another program or window\n- Upstream: demo/);
    assert.match(text, /does not store the headers and bodies of other programs’ requests/);
    assert.doesNotMatch(text, new RegExp(foreignRequestId));
  });

  it('can show failures only', async () => {
    await answerDialogs('$(error) Failed requests', () =>
      vscode.commands.executeCommand('modelGateway.requests.filter'),
    );
    assert.deepEqual(
      listRows().map((row) => /failed|succeeded/.exec(String(getItem(row).contextValue))?.[0]),
      ['failed'],
    );
  });

  it('stores failures on disk until Clear erases them', async () => {
    assert.ok(isOnDisk(promptCanary));
    assert.ok(!isOnDisk(credential));
    await answerDialogs('Clear', () => vscode.commands.executeCommand('modelGateway.requests.clear'));
    assert.deepEqual(listRows(), []);
    assert.ok(!isOnDisk(promptCanary));
  });

  it('F92 reports that failures could not be erased from a full disk, and retries on request', async () => {
    const { clear } = services.requests;
    const tries: string[] = [];
    services.requests.clear = async () => {
      tries.push('clear');
      if (tries.length === 1) throw new StorageError('full', 'The disk is full.');
      await clear.call(services.requests);
    };
    try {
      const command = 'modelGateway.requests.clear';
      const seen = await answerDialogsInTurn(['Clear', 'Try Again'], () =>
        vscode.commands.executeCommand(command),
      );
      assert.match(seen.at(-1)?.message ?? '', /^Stored requests could not be erased from the disk\. .*full/);
      assert.deepEqual([tries.length, isOnDisk(promptCanary)], [2, false]);
    } finally {
      Reflect.deleteProperty(services.requests, 'clear');
    }
  });

  it('erases stored failures when the setting is turned off', async () => {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    await settings.update('requests.keepFailures', false, vscode.ConfigurationTarget.Global);
    try {
      for (let waited = 0; waited < 100 && isOnDisk(promptCanary); waited++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.ok(!isOnDisk(promptCanary));
    } finally {
      await settings.update('requests.keepFailures', undefined, vscode.ConfigurationTarget.Global);
    }
  });
});
