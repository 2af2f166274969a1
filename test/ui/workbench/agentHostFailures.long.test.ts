import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TextFormatId } from '../../../src/wire/apis/textFormats.ts';
import { AgentHostBridge } from '../../support/agentHostBridge.ts';
import { halveText } from '../../support/modelStreams.ts';
import { type ProviderName, providerNames, VscodeChat } from '../../support/vscodeChat.ts';
import { correctCredential, startRefusingGateway } from '../../support/vscodeChatTurns.ts';

interface Failure {
  readonly name: string;
  /** The words that the user reads. */
  readonly words: (provider: ProviderName) => RegExp;
  readonly respond: (format: TextFormatId, res: ServerResponse) => void;
}

const failures: readonly Failure[] = [
  {
    name: 'a reply that is cut off',
    words: (provider) =>
      provider === 'generation'
        ? /The gateway failed\. .* “The reply of upstream 'generation' was cut off\.”/
        : /The connection to 127\.0\.0\.1:\d+ was lost during the reply\./,
    respond: cut,
  },
  {
    name: 'a refused key',
    words: () => /The key of this gateway for it, .*, is wrong/,
    respond: (_format, res) => json(res, 401, '{"error":{"message":"Wrong key"}}'),
  },
  {
    name: 'a conversation that is too long',
    words: () => /too long/,
    respond: (_format, res) =>
      json(res, 400, '{"error":{"message":"Too many tokens","code":"context_length_exceeded"}}'),
  },
  {
    name: 'a rate limit',
    words: () => /You can try again at /,
    respond: (_format, res) =>
      json(res, 429, '{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}', {
        'retry-after': '1',
      }),
  },
  {
    name: 'an account without money',
    words: () => /no quota or balance left/,
    respond: (_format, res) =>
      json(res, 402, '{"error":{"message":"No credit","code":"insufficient_quota"}}'),
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

  for (const { name, words, respond } of failures) {
    describe(`on ${name}`, () => {
      let requests: readonly string[];

      // VS Code repeats each request for 20 seconds, so the chats of all API formats run at the same time.
      before(async () => {
        await bridge.runCommand('workbench.action.closeAllEditors');
        const readRequests = chat.play(providerNames.map(() => respond));
        for (const provider of providerNames) {
          await bridge.openChat(`${provider}-model`);
          await chat.typeQuestion(`Is this ${name}, ${provider}?`);
          await bridge.runCommand('workbench.action.chat.openInEditor');
        }
        await bridge.runCommand('workbench.action.closeAuxiliaryBar');
        for (const [index] of providerNames.entries()) {
          await tabs().nth(index).click();
          await chat.waitForReply('What you can do:');
        }
        requests = readRequests();
      });

      const tabs = () => chat.workbench.page.locator('.tabs-container').getByRole('tab');

      for (const [index, provider] of providerNames.entries()) {
        it(`shows it, and does not send the request again: ${provider}`, async () => {
          await tabs().nth(index).click();
          await chat.workbench.page
            .locator('.interactive-request')
            .filter({ hasText: `${name}, ${provider}?`, visible: true })
            .waitFor();
          assert.match(await chat.reply.innerText(), words(provider));
          assert.equal(requests.filter((body) => body.includes(`, ${provider}?`)).length, 1);
          assert.equal(await chat.workbench.page.getByText('Sign in to use').count(), 0);
          await chat.workbench.screenshot(`agent-host/${name.replaceAll(' ', '-')}-${provider}`);
        });
      }
    });
  }

  describe('with a refused credential of the gateway', () => {
    it('shows it, and continues with a new credential', async () => {
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
