import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import type { Services } from '../../src/host/app/services.ts';
import { createComparisonView } from '../../src/host/chat/view/turnViews.ts';
import { answerDialogs, typeIntoInputs } from '../support/dialogs.ts';
import { getServices, unloadClosedChats, useGateway } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { createTestChat } from '../support/testChat.ts';

const models = ['red/one', 'green/two'];
const usage = { prompt_tokens: 10, completion_tokens: 1_000 };

describe('P17 a spending limit that is reached in a comparison', () => {
  let services: Services;
  let gateway: ScriptedGateway;

  before(async () => {
    services = await getServices();
    gateway = await startScriptedGateway([...models], (response) => {
      const end = `data: ${JSON.stringify({ id: 'reply', choices: [], usage })}\n\ndata: [DONE]\n\n`;
      response
        .setHeader('content-type', 'text/event-stream')
        .end(`${createTextChunk('Hello', 'stop')}${end}`);
    });
    await useGateway(services, 'compared limits', gateway.baseUrl, 'test-credential');
    await set('models', [{ models: '*', prices: { input: 0, output: 1_000 } }]);
    await set('spendingLimits', [{ per: 'day', money: 1, gateway: 'compared limits' }]);
  });

  after(async () => {
    await set('spendingLimits', undefined);
    await set('models', undefined);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    await services.gateways.remove('compared limits');
    await gateway.close();
  });

  function set(key: string, value: unknown) {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    return settings.update(key, value, vscode.ConfigurationTarget.Global);
  }

  it('is raised by the button in the column of the refused model, which then replies', async () => {
    const { session } = await services.chats.open({ model: models[0] });
    session.target.compare(models);
    const page = createTestChat(services, session);
    await session.send('Well?');
    const columns = createComparisonView(session.conversation)?.columns.map(([turn]) => turn) ?? [];
    const refused = columns.find((turn) => typeof turn === 'object' && turn.notice);
    assert.ok(typeof refused === 'object');
    assert.equal(columns.filter((turn) => typeof turn === 'object' && turn.notice).length, 1);
    const [button] = refused.notice?.buttons ?? [];
    assert.equal(button?.label, 'Raise Limit for Today…');
    const allowed = async () => (await services.spending.uses())[0]?.allowed;
    const click = (action: string | undefined) =>
      page.receive({ type: 'action', turnId: refused.id, action });
    await answerDialogs(undefined, () =>
      typeIntoInputs(['20'], async () => {
        click(button?.action);
        while ((await allowed()) !== 21e9) await new Promise((resolve) => setTimeout(resolve, 5));
      }),
    );
    click('again');
    const texts = () =>
      session.conversation.comparison.columns.map(([turn]) => turn?.replies.map(replyText).join());
    while (texts().some((text) => text !== 'Hello'))
      await new Promise((resolve) => session.onDidChange(resolve));
    assert.equal(gateway.requests.filter(({ path }) => path === '/v1/chat/completions').length, 2);
  });
});
