import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentHostBridge } from '../../support/agentHostBridge.ts';
import { playedCall, playedText } from '../../support/playedModel.ts';
import { type ProviderName, streamTurn, VscodeChat } from '../../support/vscodeChat.ts';
import { isThere, poll } from '../../support/workbench.ts';

/** Half of the context size of an unknown model. */
const halfOfContext = 64_000;

/** The kind of sessions of VS Code's Copilot agent. */
const copilot = 'agent-host-copilotcli';

describe('VS Code’s Copilot agent with a gateway’s models', () => {
  let bridge: AgentHostBridge;
  let chat: VscodeChat;

  before(async () => {
    bridge = await AgentHostBridge.start();
    chat = await VscodeChat.open(
      'agent-host',
      {
        'chat.editor.preferCopilotHarness': true,
        'chat.agentHost.allowSignedOutWhenUsable': true,
        'chat.tools.global.autoApprove': true,
      },
      bridge,
    );
  });
  after(async () => {
    await chat?.close();
    await bridge.close();
  });

  /** Opens a new chat with the Copilot agent and a model. */
  async function open(provider: ProviderName): Promise<void> {
    const id = `model-gateway/@local/${provider}-model`;
    await bridge.run(`workbench.action.chat.openNewChatSessionInPlace.${copilot}`, 'sidebar');
    await poll(`${id} in the agent host`, () =>
      bridge
        .run('workbench.action.chat.open', { mode: 'agent', modelSelector: { vendor: copilot, id } })
        .then(
          () => true,
          () => undefined,
        ),
    );
    await chat.workbench.page.getByRole('textbox', { name: `${provider}-model.` }).waitFor();
  }

  it('is not used by Use in VS Code’s Chat, which offers the local agent for new chats', async () => {
    const { workbench } = chat;
    await chat.switchOn();
    await chat.exchange('Hello?', 'Hello from the local agent.');
    const notice = workbench.notification('New chats use its Copilot agent');
    await notice.getByRole('button', { name: 'Use Local Agent' }).click();
    const done = workbench.notification('New chats in VS Code use its local agent now.');
    await done.getByRole('button', { name: 'Undo' }).click();
    await done.waitFor({ state: 'hidden' });
  });

  for (const provider of ['completions', 'generation', 'messages', 'responses'] as const) {
    it(`reads a file, calls our tools, replies and reports usage: ${provider}`, async () => {
      await writeFile(join(chat.workbench.folder, 'toast.txt'), 'Toast with marmalade\n');
      await open(provider);
      const path = join(chat.workbench.folder, 'toast.txt');
      const answer = `Marmalade, says ${provider}.`;
      const asked = await chat.ask(`What is on the toast, ${provider}?`, [
        streamTurn((format) => playedCall(format, { name: 'view', arguments: { path } })),
        streamTurn((format) => playedCall(format, { name: 'gatewayModels', arguments: {} })),
        streamTurn((format) => playedText(format, answer, halfOfContext)),
      ]);
      await chat.reply.filter({ hasText: answer }).waitFor({ timeout: 90_000 });
      const [first = '', afterRead = '', afterList = ''] = asked();
      for (const tool of ['gatewayAsk', 'gatewayVideo', 'gatewayTask', 'gatewayWait', 'gatewayCancel'])
        assert.match(first, new RegExp(`"${tool}"`));
      assert.match(afterRead, /Toast with marmalade/);
      assert.match(afterList, /messages-model/);
      await poll(
        'half of the ring',
        async () => (await chat.contextUse.getAttribute('aria-label'))?.includes('50%') || undefined,
      );
    });
  }

  it('shows a failure, and does not send the request again', async () => {
    await open('messages');
    const asked = await chat.ask('Are you there?', [
      (_format, res) =>
        res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"Wrong key"}}'),
    ]);
    await chat.reply.filter({ hasText: 'What you can do:' }).waitFor({ timeout: 90_000 });
    assert.match(await chat.reply.innerText(), /The key of this gateway for it, .*, is wrong/);
    assert.equal(asked().length, 1);
    assert.equal(await isThere(chat.workbench.page.getByText('Sign in to use')), undefined);
    await chat.workbench.screenshot('agent-host/failure');
  });
});
