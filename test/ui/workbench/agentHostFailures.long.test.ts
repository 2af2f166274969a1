import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TextFormatId } from '../../../src/wire/apis/textFormats.ts';
import { AgentHostBridge } from '../../support/agentHostBridge.ts';
import { halveText } from '../../support/modelStreams.ts';
import { type ProviderName, providerNames, VscodeChat } from '../../support/vscodeChat.ts';
import { correctCredential, startRefusingGateway } from '../../support/vscodeChatTurns.ts';

interface Failure {
  readonly what: string;
  /** What the user reads. */
  readonly words: (provider: ProviderName) => RegExp;
  readonly respond: (format: TextFormatId, res: ServerResponse) => void;
  /** The providers whose failure is also shown in a chat, where VS Code repeats each for 20 seconds. */
  readonly inChat: readonly ProviderName[];
}

const failures: readonly Failure[] = [
  {
    what: 'a reply that is cut off',
    words: (provider) =>
      provider === 'generation'
        ? /The gateway failed\. .* “The reply of upstream 'generation' was cut off\.”/
        : /The connection to 127\.0\.0\.1:\d+ was lost during the reply\./,
    respond: cut,
    // Each format ends in its own way.
    inChat: providerNames,
  },
  {
    what: 'a refused key',
    words: () => /The key of this gateway for it, .*, is wrong/,
    respond: (_format, res) => json(res, 401, '{"error":{"message":"Wrong key"}}'),
    inChat: ['messages'],
  },
  {
    what: 'a rate limit',
    words: () => /You can try again in /,
    // The gateway then sends no request to the model for a second. So this failure is the last one.
    respond: (_format, res) =>
      json(res, 429, '{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}', {
        'retry-after': '1',
      }),
    inChat: ['responses'],
  },
];

describe('VS Code’s Copilot agent with failing models of a gateway', () => {
  let bridge: AgentHostBridge;
  let chat: VscodeChat;

  before(async () => {
    bridge = await AgentHostBridge.start();
    const settings = {
      'chat.agentHost.byokModels.enabled': true,
      'chat.agentHost.allowSignedOutWhenUsable': true,
      'chat.tools.global.autoApprove': true,
    };
    chat = await VscodeChat.open('agent-host-failures', settings, bridge);
    await chat.enable();
  });
  after(async () => {
    await chat?.close();
    await bridge.close();
  });

  for (const { what, words, respond, inChat } of failures) {
    for (const provider of providerNames) {
      it(`returns ${what} to the agent host, and does not send its repeat: ${provider}`, async () => {
        const requests = chat.play([respond]);
        const request = {
          vendor: 'model-gateway',
          modelId: `@local/${provider}-model`,
          input: [{ type: 'message', role: 'user', content: [{ type: 'text', text: `Is this ${what}?` }] }],
          tools: [
            { type: 'function', name: 'look', description: 'Looks', parametersSchema: { type: 'object' } },
          ],
        };
        const { error } = JSON.parse(await bridge.chat(request));
        assert.match(error, words(provider));
        assert.match(error, /What you can do:/);
        assert.equal(JSON.parse(await bridge.chat(request)).error, error);
        assert.equal(requests().length, 1);
      });
    }

    for (const provider of inChat) {
      it(`shows ${what}, and does not send the request again: ${provider}`, async () => {
        await bridge.openChat(`${provider}-model`);
        const requests = await chat.sendQuestion(`Is this ${what}?`, [respond]);
        await chat.waitForReply('What you can do:');
        assert.match(await chat.reply.innerText(), words(provider));
        assert.equal(requests().length, 1);
        assert.equal(await chat.workbench.page.getByText('Sign in to use').count(), 0);
        await chat.workbench.screenshot(`agent-host/${what.replaceAll(' ', '-')}-${provider}`);
      });
    }
  }

  it('shows that the gateway refused the credential, and continues with a new one', async () => {
    const gateway = await startRefusingGateway();
    try {
      await chat.connect(gateway.baseUrl, 'old-credential', 'refusing-model');
      await bridge.openChat('refusing-model');
      await correctCredential(chat);
      const refused = gateway.requests.filter(
        ({ authorization, path }) => path !== '/v1/models' && authorization === 'Bearer old-credential',
      );
      assert.equal(refused.length, 1, 'it is not sent again');
    } finally {
      await gateway.close();
    }
  });
});

/** Ends the connection after half of a reply. */
function cut(format: TextFormatId, res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.write(halveText(format)[0]);
  setTimeout(() => res.destroy(), 100);
}

function json(res: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}
