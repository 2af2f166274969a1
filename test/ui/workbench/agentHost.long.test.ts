import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { TextFormatId } from '../../../src/wire/apis/textFormats.ts';
import { AgentHostBridge } from '../../support/agentHostBridge.ts';
import { streamToolCalls } from '../../support/playedCalls.ts';
import { streamReasoning, streamText, streamToolCall } from '../../support/playedModel.ts';
import { type ProviderName, streamTurn, VscodeChat } from '../../support/vscodeChat.ts';
import { poll } from '../../support/workbench.ts';

/** Half of the context size of an unknown model. */
const halfOfContext = 64_000;

const providerNames = ['completions', 'generation', 'messages', 'responses', 'interactions'] as const;

/** The names that agents see. */
const tools = ['Models', 'Ask', 'Video', 'Task', 'Wait', 'Cancel', 'Explain'].map((name) => `gateway${name}`);

/** A gateway sends no requests to a failing upstream for a while, so each failure is of another one. */
const failures: readonly {
  readonly what: string;
  readonly provider: ProviderName;
  readonly words: RegExp;
  readonly respond: (format: TextFormatId, res: ServerResponse) => void;
}[] = [
  {
    ...{ what: 'a refused key', provider: 'messages', words: /The key of this gateway for it, .*, is wrong/ },
    respond: (_format, res) => json(res, 401, '{"error":{"message":"Wrong key"}}'),
  },
  {
    ...{ what: 'a rate limit', provider: 'responses', words: /You can try again in / },
    respond: (_format, res) =>
      json(res, 429, '{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}', {
        'retry-after': '3600',
      }),
  },
  ...(['completions', 'generation', 'interactions'] as const).map((provider) => ({
    ...{ what: 'a reply that is cut off', provider, words: /ended|cut|closed|lost/i },
    respond: cut,
  })),
];

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
    await bridge.runCommand(`workbench.action.chat.openNewChatSessionInPlace.${copilot}`, 'sidebar');
    await poll(`${id} in the agent host`, () =>
      bridge
        .runCommand('workbench.action.chat.open', { mode: 'agent', modelSelector: { vendor: copilot, id } })
        .then(
          () => true,
          () => undefined,
        ),
    );
    await chat.workbench.page.getByRole('textbox', { name: `${provider}-model.` }).waitFor();
  }

  it('is not used by Use in VS Code’s Chat, which offers the local agent for new chats', async () => {
    const { workbench } = chat;
    await chat.enable();
    await chat.exchange('Hello?', 'Hello from the local agent.');
    const notice = workbench.notification('New chats use its Copilot agent');
    await notice.getByRole('button', { name: 'Use Local Agent' }).click();
    const done = workbench.notification('New chats in VS Code use its local agent now.');
    await done.getByRole('button', { name: 'Undo' }).click();
    await done.waitFor({ state: 'hidden' });
  });

  for (const provider of providerNames) {
    it(`reads a file, calls our tools, replies and reports usage: ${provider}`, async () => {
      await writeFile(join(chat.workbench.folder, 'toast.txt'), 'Toast with marmalade\n');
      await open(provider);
      const path = join(chat.workbench.folder, 'toast.txt');
      const answer = `Marmalade, says ${provider}.`;
      const requests = await chat.sendQuestion(`What is on the toast, ${provider}?`, [
        streamTurn((format) => streamToolCall(format, { name: 'view', arguments: { path } })),
        streamTurn((format) => streamToolCall(format, { name: 'gatewayModels', arguments: {} })),
        streamTurn((format) => streamText(format, answer, halfOfContext)),
      ]);
      await chat.reply.filter({ hasText: answer }).waitFor({ timeout: 90_000 });
      const [first = '', afterRead = '', afterList = ''] = requests();
      for (const tool of tools) assert.match(first, new RegExp(`"${tool}"`));
      assert.match(afterRead, /Toast with marmalade/);
      assert.match(afterList, /messages-model/);
      await poll(
        'half of the ring',
        async () => (await chat.contextUse.getAttribute('aria-label'))?.includes('50%') || undefined,
      );
    });
  }

  for (const provider of providerNames) {
    it(`runs several tools of one reply: ${provider}`, async () => {
      const json = JSON.stringify({ path: join(chat.workbench.folder, 'toast.txt') });
      const answer = `Marmalade, and five models, says ${provider}.`;
      await open(provider);
      const requests = await chat.sendQuestion(
        `What is on the toast, and which models are there, ${provider}?`,
        [
          streamTurn((format) =>
            streamToolCalls(format, [
              { name: 'view', json },
              { name: 'gatewayModels', json: '{}' },
            ]),
          ),
          streamTurn((format) => streamText(format, answer)),
        ],
      );
      await chat.reply.filter({ hasText: answer }).waitFor({ timeout: 90_000 });
      assert.equal(requests().length, 2);
      assert.match(requests()[1] ?? '', /Toast with marmalade[\s\S]*generation-model/);
    });
  }

  for (const provider of providerNames) {
    it(`shows the reasoning of a reply: ${provider}`, async () => {
      await open(provider);
      const answer = `Toast it is, says ${provider}.`;
      const requests = await chat.sendQuestion('Think first.', [
        streamTurn((format) => streamReasoning(format, 'I think of toast.', answer)),
      ]);
      await chat.reply.filter({ hasText: answer }).waitFor({ timeout: 90_000 });
      assert.equal(requests().length, 1);
      await chat.reply.locator('.chat-thinking-box').getByRole('button').click();
      await chat.reply.filter({ hasText: 'I think of toast.' }).waitFor();
    });
  }

  it('passes pictures to models, and their usage back', async () => {
    for (const provider of providerNames) {
      const image = { type: 'image', mimeType: 'image/png', data: pixel };
      const reply = JSON.parse(
        await bridge.chat({
          ...{ vendor: 'model-gateway', modelId: `@local/${provider}-model` },
          input: [{ type: 'message', role: 'user', content: [{ type: 'text', text: 'What is it?' }, image] }],
        }),
      );
      assert.equal(reply.error, undefined);
      assert.equal(reply.output[0].content[0].text, 'A title');
      assert.equal(typeof reply.usage.inputTokens, 'number');
      assert.ok(chat.lastBody.includes(pixel), provider);
    }
  });

  it('does not reply as @gateway: VS Code refuses the question or sends it to the model', async () => {
    await open('messages');
    await chat.sendQuestion('@gateway models please', [
      streamTurn((format) => streamText(format, 'I am the model.')),
    ]);
    const outcome = /I am the model\.|Language model unavailable/;
    await chat.reply.filter({ hasText: outcome }).waitFor({ timeout: 90_000 });
  });

  for (const { what, provider, respond, words } of failures) {
    it(`shows ${what}, and does not send the request again: ${provider}`, async () => {
      await open(provider);
      const requests = await chat.sendQuestion(`Is this ${what}?`, [respond]);
      await chat.reply.filter({ hasText: 'What you can do:' }).waitFor({ timeout: 90_000 });
      assert.match(await chat.reply.innerText(), words);
      assert.equal(requests().length, 1);
      assert.equal(await chat.workbench.page.getByText('Sign in to use').count(), 0);
      await chat.workbench.screenshot(`agent-host/${what.replaceAll(' ', '-')}-${provider}`);
    });
  }
});

/** Ends the connection after half of a reply. */
function cut(format: TextFormatId, res: ServerResponse): void {
  const text = streamText(format, 'Half of a long text');
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.write(text.slice(0, text.lastIndexOf('data:', text.length * 0.7)));
  setTimeout(() => res.destroy(), 100);
}

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function json(res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}
