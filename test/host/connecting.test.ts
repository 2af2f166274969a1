import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { answerDialogs, typeInto } from '../support/dialogs.ts';
import { extensionServices } from '../support/extensionServices.ts';
import { type ScriptedGateway, startScriptedGateway, textChunk } from '../support/scriptedGateway.ts';

describe('connecting to a gateway', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let others: readonly string[];

  before(async () => {
    services = await extensionServices();
    others = services.gateways.all.map(({ name }) => name);
    gateway = await startScriptedGateway(['m-1'], (response) => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`${textChunk('Hello', 'stop')}data: [DONE]\n\n`);
    });
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const { name } of services.gateways.all)
      if (!others.includes(name)) await services.gateways.remove(name);
    await gateway.close();
  });

  function connectWith(credential: string) {
    return answerDialogs(undefined, () =>
      typeInto([gateway.baseUrl, credential], () => vscode.commands.executeCommand('modelGateway.connect')),
    );
  }

  it('needs no credential if the gateway needs none, and then sends none', async () => {
    assert.deepEqual(await connectWith(''), [], 'there is no error');
    assert.equal(services.connection.state.phase, 'ready');
    const { gateway: now } = services.connection.state;
    assert.equal(now?.kind === 'gateway' && now.baseUrl, gateway.baseUrl);
    const { session } = await services.chats.open({});
    await session.send('Who are you?');
    assert.equal(session.conversation.last?.result?.outcome.kind, 'complete');
    assert.deepEqual(
      new Set(gateway.requests.map(({ authorization }) => authorization)),
      new Set([undefined]),
    );
  });

  it('sends the credential that was entered', async () => {
    await connectWith('canary-credential');
    assert.equal(gateway.requests.at(-1)?.authorization, 'Bearer canary-credential');
  });

  it('opens its input again if it loses the focus at once, and shows no message', async () => {
    const { createInputBox } = vscode.window;
    const reopened = Promise.withResolvers<void>();
    let opened = 0;
    const losingFocus = () => {
      const box = createInputBox.call(vscode.window);
      const show = box.show.bind(box);
      box.show = () => {
        show();
        opened += 1;
        if (opened === 1) box.hide();
        else reopened.resolve();
      };
      return box;
    };
    Object.assign(vscode.window, { createInputBox: losingFocus });
    try {
      const dialogs = await answerDialogs(undefined, async () => {
        const end = vscode.commands.executeCommand('modelGateway.connect');
        await reopened.promise;
        await vscode.commands.executeCommand('modelGateway.closeInput');
        await end;
      });
      assert.deepEqual(dialogs, []);
    } finally {
      Object.assign(vscode.window, { createInputBox });
    }
  });
});
