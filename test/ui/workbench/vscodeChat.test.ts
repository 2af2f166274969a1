import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { streamText } from '../../support/modelStreams.ts';
import { VscodeChat } from '../../support/vscodeChat.ts';
import { runReadAndEdit } from '../../support/vscodeChatTurns.ts';

describe('VS Code’s own chat with a gateway’s models', () => {
  let chat: VscodeChat;

  before(async () => {
    chat = await VscodeChat.open('vscode-chat');
  });
  after(() => chat?.close());

  it('is switched on by one click, without an account', async () => {
    await chat.enable();
  });

  it('reads a file of the workspace, edits it, replies and reports usage', async () => {
    await chat.useProvider('completions');
    await runReadAndEdit(chat, 'completions');
    await chat.workbench.screenshot('vscode-chat/answer');
  });

  it('stops a reply half-way, keeps the received text and continues', async () => {
    const half = streamText('chatCompletions', 'The first half. The second half.').split('\n\n').slice(0, 4);
    let socket: ServerResponse | undefined;
    await chat.sendQuestion('Take your time.', [
      (_format, res) => {
        socket = res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(`${half.join('\n\n')}\n\n`);
      },
    ]);
    await chat.reply.filter({ hasText: 'The first half.' }).waitFor();
    assert.ok(socket);
    const closed = once(socket, 'close');
    await chat.stop();
    await closed;
    assert.match(await chat.reply.innerText(), /The first half\./);
    await chat.exchange('Go on.', 'It goes on.');
  });

  it('shows the next step when the key of the upstream is refused', async () => {
    await chat.sendQuestion('Are you there?', [
      (_format, res) =>
        res.writeHead(401, { 'content-type': 'application/json' }).end('{"error":{"message":"Wrong key"}}'),
    ]);
    const { reply, workbench } = chat;
    await reply.filter({ hasText: 'What you can do:' }).waitFor();
    const words = await reply.innerText();
    assert.match(words, /The key of this gateway for it, .*, is wrong/);
    assert.doesNotMatch(words, /\bat .*\.js/);
    assert.equal(await workbench.dialog().count(), 0);
    assert.equal(await workbench.page.getByText(/sign in/i).count(), 0);
  });
});
