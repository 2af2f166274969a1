import assert from 'node:assert/strict';
import { streamText, streamToolCall } from '../../support/modelStreams.ts';
import { streamTurn, VscodeChat } from '../../support/vscodeChat.ts';
import { correctCredential, runReadAndEdit, startRefusingGateway } from '../../support/vscodeChatTurns.ts';

describe('VS Code’s own chat with models of each API format', () => {
  let chat: VscodeChat;

  before(async () => {
    chat = await VscodeChat.open('vscode-chat-formats', { 'chat.tools.global.autoApprove': true });
    await chat.enable();
  });
  after(() => chat?.close());

  for (const provider of ['generation', 'messages', 'responses'] as const) {
    it(`reads a file, edits it, replies and reports usage: ${provider}`, async () => {
      await chat.useProvider(provider);
      await runReadAndEdit(chat, provider);
    });
  }

  it('sends no thinking effort by default, and the one that the user chose', async () => {
    const { page } = chat.workbench;
    await chat.useProvider('completions');
    const ask = async (question: string) => {
      const requests = await chat.sendQuestion(question, [
        streamTurn((format) => streamText(format, `Reply to ${question}`)),
      ]);
      await chat.reply.filter({ hasText: `Reply to ${question}` }).waitFor();
      return JSON.parse(requests()[0] ?? '').reasoning_effort;
    };
    const effort = (name: string) => page.getByRole('button', { name: `Thinking Effort: ${name}` });
    await effort('Model Default').waitFor();
    assert.equal(await ask('Question 1'), undefined);
    await effort('Model Default').click();
    const high = page.locator('.action-widget').getByRole('menuitemradio', { name: 'High' });
    await high.click();
    await effort('High').waitFor();
    await page.keyboard.press('Escape');
    await high.waitFor({ state: 'hidden' });
    assert.equal(await ask('Question 2'), 'high');
  });

  it('reports tool calls that cannot be run, and continues', async () => {
    await chat.useProvider('completions');
    const unknown = { name: 'fly_to_the_moon', arguments: { speed: 3 } };
    await chat.sendQuestion('Do what you like.', [streamTurn((format) => streamToolCall(format, unknown))]);
    await chat.reply.filter({ hasText: 'called a tool that was not offered, fly_to_the_moon' }).waitFor();

    const call = { name: 'read_file', arguments: { filePath: 'x' } };
    await chat.sendQuestion('Read it.', [
      streamTurn((format) => streamToolCall(format, call).replace(String.raw`\"x\"}`, String.raw`\"x`)),
    ]);
    await chat.reply.filter({ hasText: 'called read_file with arguments that are not valid JSON' }).waitFor();
    await chat.exchange('Try again.', 'It tries again.');
  });

  it('requires a confirmation before the tool askModel sends, even if VS Code approves all tools', async () => {
    const { workbench } = chat;
    const question = { prompt: 'What do you think?', model: 'messages-model' };
    const turn = await chat.sendQuestion('Ask another model.', [
      streamTurn((format) => streamToolCall(format, { name: 'gatewayAskModel', arguments: question })),
      streamTurn((format) => streamText(format, 'It was not asked.')),
    ]);
    const dialog = workbench.dialog().filter({ hasText: 'An agent requested this.' });
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await chat.reply.filter({ hasText: 'It was not asked.' }).waitFor();
    assert.match(turn().at(-1) ?? '', /The user did not agree\. Nothing was sent\./);
  });

  it('reports an empty reply', async () => {
    await chat.sendQuestion('Say nothing.', [streamTurn((format) => streamText(format, ''))]);
    await chat.reply.filter({ hasText: 'The model ended its reply without any text' }).waitFor();
  });

  it('shows when to retry after a rate limit', async () => {
    await chat.sendQuestion('Hurry up.', [
      (_format, res) =>
        res
          .writeHead(429, { 'content-type': 'application/json', 'retry-after': '3600' })
          .end('{"error":{"message":"Slow down","code":"rate_limit_exceeded"}}'),
    ]);
    await chat.reply.filter({ hasText: /You can try again at .*What you can do:/ }).waitFor();
    await chat.workbench.screenshot('vscode-chat/rate-limit');
  });

  it('offers VS Code’s local agent for new chats of a remote window, which can be undone', async () => {
    const { workbench } = chat;
    const before = await chat.readSettings();
    const copilot = { ...before, 'chat.editor.preferCopilotHarness': true };
    await chat.writeSettings(copilot);
    await workbench.reload();
    await workbench
      .treeRows('Models')
      .filter({ hasText: 'Use VS Code’s Local Agent for New Chats' })
      .waitFor();
    await workbench.screenshot('vscode-chat/local-agent');
    await chat.useProvider('completions');
    const notice = workbench.notification('shows these models only in local windows');
    await notice.getByRole('button', { name: 'Use Local Agent' }).click();
    const done = workbench.notification('let new chats use its local agent');
    await done.getByText('This also applies to local windows.').waitFor();
    await chat.waitForSettings({ ...before, 'chat.editor.preferCopilotHarness': false });
    await done.getByRole('button', { name: 'Undo' }).click();
    await chat.waitForSettings(copilot);
    await chat.writeSettings(before);
  });

  it('shows the next step when the gateway refuses the credential, and continues with a new one', async () => {
    const gateway = await startRefusingGateway();
    try {
      await chat.connect(gateway.baseUrl, 'old-credential', 'refusing-model');
      await chat.useModel('refusing-model');
      await correctCredential(chat);
      assert.equal(await chat.workbench.page.getByText(/sign in/i).count(), 0);
    } finally {
      await gateway.close();
    }
  });
});
