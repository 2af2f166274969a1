import assert from 'node:assert/strict';
import { packageExtension } from '../../../scripts/package.mjs';
import { AgentHostBridge } from '../../support/agentHostBridge.ts';
import { streamText, streamToolCall } from '../../support/modelStreams.ts';
import { streamTurn, toolNames, VscodeChat } from '../../support/vscodeChat.ts';
import { poll } from '../../support/workbench.ts';

// The rules of VS Code's Agents window for extensions. Its own user interface is not in VS Code's server.

describe('the installed extension in VS Code’s Agents window', () => {
  let bridge: AgentHostBridge;
  let chat: VscodeChat;

  before(async () => {
    bridge = await AgentHostBridge.start();
    chat = await VscodeChat.open(
      'agents-window',
      {
        'chat.agentHost.byokModels.enabled': true,
        'chat.agentHost.allowSignedOutWhenUsable': true,
        'chat.tools.global.autoApprove': true,
      },
      bridge,
      // VS Code always runs extensions under development.
      { vsix: await packageExtension(), isAgentsWindow: true },
    );
  });
  after(async () => {
    await chat?.close();
    await bridge.close();
  });

  it('does not run by default', async () => {
    await assert.rejects(bridge.runCommand('modelGateway.newChat'), /'modelGateway\.newChat' not found/);
  });

  it('runs if a setting of VS Code allows it, without its views', async () => {
    await chat.writeSettings({
      ...(await chat.readSettings()),
      'extensions.supportAgentsWindow': { 'model-gateway.model-gateway': true },
    });
    await chat.workbench.reload();
    await poll('the extension', () =>
      bridge.runCommand('modelGateway.newChat').then(
        () => true,
        () => undefined,
      ),
    );
    await chat.workbench.webview('New Chat');
    assert.equal(await chat.workbench.activity('Model Gateway').count(), 0);
  });

  it('provides its models and tools to the Copilot agent', async () => {
    await chat.connectToOwnGateway();
    await bridge.openChat('responses-model', 'editor');
    const requests = await chat.sendQuestion('Which models are there?', [
      streamTurn((format) => streamToolCall(format, { name: 'gatewayListModels', arguments: {} })),
      streamTurn((format) => streamText(format, 'These five.')),
    ]);
    await chat.waitForReply('These five.');
    const [first = '', afterList = ''] = requests();
    for (const tool of toolNames) assert.match(first, new RegExp(`"${tool}"`));
    assert.match(afterList, /messages-model/);
    await chat.workbench.screenshot('agent-host/agents-window');
  });
});
