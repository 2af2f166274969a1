import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AgentHostBridge } from '../../support/agentHostBridge.ts';
import { pasteFile, pixel } from '../../support/fileEvents.ts';
import { halveText, streamReasoning, streamText, streamToolCall } from '../../support/modelStreams.ts';
import { streamToolCalls } from '../../support/toolCallStreams.ts';
import {
  type ProviderName,
  providerNames,
  streamTurn,
  toolNames,
  VscodeChat,
} from '../../support/vscodeChat.ts';
import { poll } from '../../support/workbench.ts';

/** Half of the context size of an unknown model. */
const halfOfContext = 64_000;

/** The kinds of subagents that the Copilot agent (1.139) offers to models. */
const subagentKinds = ['code-review', 'explore', 'general-purpose', 'research', 'security-review', 'task'];

describe('VS Code’s Copilot agent with a gateway’s models', () => {
  let bridge: AgentHostBridge;
  let chat: VscodeChat;
  let settingsBefore: Readonly<Record<string, unknown>>;

  before(async () => {
    bridge = await AgentHostBridge.start();
    const settings = { 'chat.editor.preferCopilotHarness': true, 'chat.tools.global.autoApprove': true };
    chat = await VscodeChat.open('agent-host', settings, bridge);
    const { workbench } = chat;
    await chat.enable();
    settingsBefore = await chat.readSettings();
    const notice = workbench.notification('Copilot agent, which does not show these models');
    await notice.getByRole('button', { name: 'Show Them There' }).click();
    await chat.waitForSettings({
      ...settingsBefore,
      'chat.agentHost.byokModels.enabled': true,
      'chat.agentHost.allowSignedOutWhenUsable': true,
    });
  });
  after(async () => {
    await chat?.close();
    await bridge.close();
  });

  const open = (provider: ProviderName) => bridge.openChat(`${provider}-model`);

  it('is not used by Use in VS Code’s Chat, which opens a chat with the local agent', async () => {
    await chat.exchange('Hello?', 'Hello from the local agent.');
    await chat.workbench.page.getByRole('button', { name: 'Local' }).first().waitFor();
  });

  for (const provider of providerNames) {
    it(`reads a file, calls our tools, replies and reports usage: ${provider}`, async () => {
      await writeFile(join(chat.workbench.folder, 'toast.txt'), 'Toast with marmalade\n');
      await open(provider);
      const path = join(chat.workbench.folder, 'toast.txt');
      const answer = `Marmalade, says ${provider}.`;
      const requests = await chat.sendQuestion(`What is on the toast, ${provider}?`, [
        streamTurn((format) => streamToolCall(format, { name: 'view', arguments: { path } })),
        streamTurn((format) => streamToolCall(format, { name: 'gatewayListModels', arguments: {} })),
        streamTurn((format) => streamText(format, answer, halfOfContext)),
      ]);
      await chat.waitForReply(answer);
      const [first = '', afterRead = '', afterList = ''] = requests();
      for (const tool of toolNames) assert.match(first, new RegExp(`"${tool}"`));
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
              { name: 'gatewayListModels', json: '{}' },
            ]),
          ),
          streamTurn((format) => streamText(format, answer)),
        ],
      );
      await chat.waitForReply(answer);
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
      await chat.waitForReply(answer);
      assert.equal(requests().length, 1);
      await chat.reply.locator('.chat-thinking-box').getByRole('button').click();
      await chat.reply.filter({ hasText: 'I think of toast.' }).waitFor();
    });
  }

  for (const provider of providerNames) {
    it(`passes a picture of the message box to the model: ${provider}`, async () => {
      await open(provider);
      await pasteFile(chat.input, 'image/png', pixel);
      await chat.workbench.page.locator('.interactive-input-part').getByText('Pasted Image').waitFor();
      const answer = `It is a dot, says ${provider}.`;
      const requests = await chat.sendQuestion(`What is this, ${provider}?`, [
        streamTurn((format) => streamText(format, answer)),
      ]);
      await chat.waitForReply(answer);
      assert.ok(requests()[0]?.includes(pixel));
    });
  }

  it('does not pass pictures in results of tools to the model', async () => {
    const path = join(chat.workbench.folder, 'dot.png');
    await writeFile(path, Buffer.from(pixel, 'base64'));
    await open('responses');
    const requests = await chat.sendQuestion('What is on the picture?', [
      streamTurn((format) => streamToolCall(format, { name: 'view', arguments: { path } })),
      streamTurn((format) => streamText(format, 'I cannot see it.')),
    ]);
    await chat.waitForReply('I cannot see it.');
    assert.ok(JSON.parse(requests()[1] ?? '').input.some(isToolOutput));
    assert.ok(!requests()[1]?.includes(pixel));
  });

  for (const kind of subagentKinds) {
    it(`runs a subagent with the model of the chat: ${kind}`, async () => {
      await open('responses');
      const call = { name: 'greeter', description: 'Greets', prompt: 'Say hello', agent_type: kind };
      const requests = await chat.sendQuestion(`Let a subagent greet, ${kind}.`, [
        streamTurn((format) => streamToolCall(format, { name: 'task', arguments: call })),
        streamTurn((format) => streamText(format, 'Hello from an agent.')),
        streamTurn((format) => streamText(format, 'Hello from an agent.')),
      ]);
      await chat.waitForReply('Hello from an agent.');
      const [first, ...others] = requests().map((body) => JSON.parse(body));
      const { parameters } = first.tools.find((tool: { readonly name: string }) => tool.name === 'task');
      assert.deepEqual(parameters.properties.agent_type.enum.toSorted(), subagentKinds);
      const subagents = others.filter(({ input }) => !input.some(isToolOutput));
      assert.equal(subagents.length, 1);
      assert.match(JSON.stringify(subagents[0].input), /Say hello/);
      assert.equal(subagents[0].model, 'responses-model');
    });
  }

  it('runs a subagent with another model of the gateway, which the model of the chat chose', async () => {
    await open('responses');
    const call = {
      name: 'greeter',
      description: 'Greets',
      prompt: 'Say hello',
      agent_type: 'task',
      model: 'model-gateway/@local/completions-model',
    };
    const requests = await chat.sendQuestion('Let another model greet.', [
      streamTurn((format) => streamToolCall(format, { name: 'task', arguments: call })),
      streamTurn((format) => streamText(format, 'Hello from another model.')),
      streamTurn((format) => streamText(format, 'Hello from another model.')),
    ]);
    await chat.waitForReply('Hello from another model.');
    const models = requests().map((body) => JSON.parse(body).model);
    assert.deepEqual(models, ['responses-model', 'completions-model', 'responses-model']);
  });

  for (const provider of providerNames) {
    it(`ends the turn on Stop, although the request continues: ${provider}`, async () => {
      await open(provider);
      // VS Code 1.139 shows the first turn of a chat as running after Stop.
      await chat.exchange(`Hello, ${provider}.`, `Hello from ${provider}.`);
      const held = Promise.withResolvers<() => ServerResponse>();
      await chat.sendQuestion('Take your time.', [
        (format, res) => {
          const [begin, rest] = halveText(format);
          res.writeHead(200, { 'content-type': 'text/event-stream' }).write(begin);
          held.resolve(() => res.end(rest));
        },
      ]);
      const end = await held.promise;
      await chat.stop();
      await chat.stopButton.waitFor({ state: 'hidden' });
      await chat.exchange('Go on.', `It goes on, ${provider}.`);
      assert.doesNotMatch(await chat.workbench.page.locator('.interactive-session').innerText(), /long text/);
      assert.equal(end().destroyed, false);
    });
  }

  it('preselects a medium thinking level, which is sent, or another one that the user chose', async () => {
    await open('completions');
    const { page } = chat.workbench;
    const ask = async (question: string) => {
      const requests = await chat.sendQuestion(question, [
        streamTurn((format) => streamText(format, `Reply to ${question}`)),
      ]);
      await chat.reply.filter({ hasText: `Reply to ${question}` }).waitFor();
      return JSON.parse(requests()[0] ?? '').reasoning_effort;
    };
    const level = (name: string) => page.getByRole('button', { name: `Thinking Level: ${name}` });
    await level('Medium').waitFor();
    assert.equal(await ask('Question 1'), 'medium');
    await level('Medium').click();
    const levels = page
      .locator('.action-widget')
      .filter({ hasText: 'Thinking Level' })
      .getByRole('menuitemradio');
    assert.deepEqual(
      (await levels.allInnerTexts()).map((each) => each.split('\n')[0]),
      ['None', 'Minimal', 'Low', 'Medium', 'High'],
    );
    await levels.filter({ hasText: 'High' }).click();
    await level('High').waitFor();
    await page.keyboard.press('Escape');
    await levels.first().waitFor({ state: 'hidden' });
    assert.equal(await ask('Question 2'), 'high');
  });

  it('calls each of our tools, with a dialog before each that may cost money or cancels a task', async () => {
    await open('responses');
    const call = (name: string, input: () => object = () => ({})) =>
      streamTurn((format) => streamToolCall(format, { name, arguments: input() }));
    const task = () => ({ task: /Task ([\w-]+):/.exec(chat.lastBody)?.[1] });
    const requests = await chat.sendQuestion('Use each tool.', [
      call('gatewayListModels', () => ({ use: 'video' })),
      call('gatewayAskModel', () => ({ prompt: 'Say hello', model: 'messages-model' })),
      call('gatewayStartVideo', () => ({ prompt: 'A kite. Take 60 seconds.', model: 'demo/video' })),
      call('gatewayReadTask', task),
      call('gatewayCancelTask', task),
      call('gatewayWaitForTask', task),
      call('gatewayExplainFailure'),
      streamTurn((format) => streamText(format, 'I used them all.')),
    ]);
    for (const button of ['Send Request', 'Send 1 Request', 'Cancel Task'])
      await chat.workbench.dialog().getByRole('button', { name: button }).click();
    await chat.waitForReply('I used them all.');
    const outputs = JSON.parse(requests().at(-1) ?? '').input.filter(isToolOutput);
    const expected = [
      /1 model that match.*demo\/video/s,
      /messages-model replied .*A title/s,
      /the request was sent\.\nTask /,
      /^Task .*: Running/,
      /The task was cancelled\./,
      /^Task .*: Cancelled/,
      /No failed requests are recorded\./,
    ];
    assert.equal(outputs.length, expected.length);
    for (const [index, words] of expected.entries()) assert.match(outputs[index].output, words);
  });

  it('does not reply as @gateway: VS Code refuses the question or sends it to the model', async () => {
    await open('messages');
    await chat.sendQuestion('@gateway models please', [
      streamTurn((format) => streamText(format, 'I am the model.')),
    ]);
    const outcome = /I am the model\.|Language model unavailable/;
    await chat.waitForReply(outcome);
  });

  it('hides the models after the settings are restored', async () => {
    const { workbench } = chat;
    await workbench.runCommand("Model Gateway: Show Models in VS Code's New Chats");
    const notice = workbench.notification('VS Code’s settings allow its Copilot agent');
    await notice.getByRole('button', { name: 'Restore Previous Setting' }).click();
    await chat.waitForSettings(settingsBefore);
    await poll(
      'a Copilot agent without models',
      async () => !(await bridge.chooseModel('completions-model')) || undefined,
    );
  });
});

function isToolOutput(item: { readonly type?: unknown }): boolean {
  return item.type === 'function_call_output';
}
