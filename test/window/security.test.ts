import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { getServices } from '../support/extensionServices.ts';

describe('protection of the credential and of request targets', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
  });

  it('P2 T1 T3 ignores the settings of a workspace for this extension', async () => {
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    assert(folder);
    const file = vscode.Uri.joinPath(folder.uri, '.vscode', 'settings.json');
    const hostile = {
      'modelGateway.gateways': [{ name: 'hostile', baseUrl: 'https://hostile.example' }],
      'modelGateway.transport': 'direct',
      'modelGateway.timeouts': { total: 1 },
      // Indicates that VS Code has read the file.
      'editor.rulers': [123],
    };
    const settingsLoaded = waitForSettings(
      () => vscode.workspace.getConfiguration('editor').get<number[]>('rulers')?.[0] === 123,
    );
    await vscode.workspace.fs.writeFile(file, Buffer.from(JSON.stringify(hostile)));
    await settingsLoaded;
    assert.ok(!services.gateways.all.some(({ name }) => name === 'hostile'));
    const ours = vscode.workspace.getConfiguration('modelGateway');
    assert.equal(ours.get('transport'), 'auto');
    assert.equal(ours.get<{ total: number }>('timeouts')?.total, 0);
    await vscode.workspace.fs.delete(file);
  });

  it('T16 does not let commands return the credential', async () => {
    const canary = 'canary-credential-given-to-a-command';
    const gateway = { name: 'kept', baseUrl: 'http://127.0.0.1:9' };
    await services.credentials.store(gateway, canary);
    for (const command of ['copyModelId', 'chat.copyReply', 'showLog', 'chat.stop']) {
      const argument = { kind: 'model', model: { id: 'harmless' }, credential: canary };
      const answer = await Promise.race([
        vscode.commands.executeCommand(`modelGateway.${command}`, argument),
        new Promise((resolve) => setImmediate(resolve)),
      ]);
      assert.equal(answer, undefined, command);
    }
    await services.credentials.forget(gateway);
  });
});

describe('the chat page’s document', () => {
  let services: Services;

  before(async () => {
    services = await getServices();
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  it('T9 T12 has exactly the strict policy, a new nonce each time, and only its own files', async () => {
    const nonces = new Set<string>();
    for (let round = 0; round < 2; round++) {
      const { panel } = await services.chats.open({});
      const { html, cspSource } = panel.webview;
      const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
      const nonce = /'nonce-([\w-]{22})'/.exec(policy)?.[1] ?? '';
      assert.equal(
        policy,
        `default-src 'none'; script-src 'nonce-${nonce}'; style-src ${cspSource}; font-src ${cspSource}; ` +
          `img-src ${cspSource} blob:; media-src ${cspSource} blob:; worker-src blob:; connect-src 'none'; ` +
          `frame-src 'none'; object-src 'none'; form-action 'none'; base-uri 'none'`,
      );
      assert.equal(panel.webview.options.localResourceRoots?.length, 1);
      assert.match(panel.webview.options.localResourceRoots?.[0]?.path ?? '', /\/dist$/);
      assert.ok(!panel.webview.options.enableCommandUris);
      nonces.add(nonce);
      panel.dispose();
    }
    assert.equal(nonces.size, 2);
  });
});

function waitForSettings(done: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const subscription = vscode.workspace.onDidChangeConfiguration(() => {
      if (!done()) return;
      subscription.dispose();
      resolve();
    });
  });
}
