import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { noParameters } from '../../src/conversations/conversation/chatParameters.ts';
import { isStoredImage, replyText } from '../../src/conversations/conversation/reply.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import { getServices, unloadClosedChats, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { createTestChat } from '../support/testChat.ts';
import type { TestPanel } from '../support/testPanel.ts';

/** The pending replies of the gateway, in the order of their requests. Tests write them. */
class Replies {
  readonly #arrived: ServerResponse[] = [];
  readonly #awaited: ((response: ServerResponse) => void)[] = [];

  add(response: ServerResponse): void {
    response.setHeader('content-type', 'text/event-stream');
    const awaited = this.#awaited.shift();
    if (awaited) awaited(response);
    else this.#arrived.push(response);
  }

  next(): Promise<ServerResponse> {
    const arrived = this.#arrived.shift();
    if (arrived) return Promise.resolve(arrived);
    return new Promise((resolve) => this.#awaited.push(resolve));
  }
}

describe('a chat', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let replies: Replies;
  let models: string[];

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    replies = new Replies();
    models = ['provider/model'];
    gateway = await startScriptedGateway(models, (response) => replies.add(response));
    await useGateway(services, 'kept', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    await services.gateways.remove('kept');
    await gateway.close();
  });

  it('sends a question that was entered during a reply when the reply is complete', async () => {
    const chat = await openNewChat();
    const sending = chat.session.send('One?');
    const first = await replies.next();
    await chat.session.send('Two?');
    await chat.session.send('And why?');
    assert.equal(chat.session.unsent.queue.waiting?.text, 'Two?\n\nAnd why?');
    assert.equal(countRequests(), 1);
    first.end(createTextChunk('One.', 'stop'));
    (await replies.next()).end(createTextChunk('Two.', 'stop'));
    await sending;
    assert.deepEqual(readTexts(chat), ['One?', 'One.', 'Two?\n\nAnd why?', 'Two.']);
    assert.equal(chat.session.unsent.queue.waiting, undefined);
  });

  const ends: Readonly<Record<string, (response: ServerResponse, chat: ChatPanel) => void>> = {
    'was cut off': (response) => response.end(createTextChunk('Half')),
    'was stopped': (_, chat) => chat.session.stop(),
    'reached the output limit': (response) => response.end(createTextChunk('Half', 'length')),
    'was stopped by a content filter': (response) => response.end(createTextChunk('Half', 'content_filter')),
    'was empty': (response) => response.end(createTextChunk('', 'stop')),
    failed: (response) => {
      response.statusCode = 500;
      response.end('{}');
    },
  };
  for (const [name, end] of Object.entries(ends)) {
    it(`moves a queued question back to the message box, without sending it, when the reply before it ${name}`, async () => {
      const chat = await openNewChat();
      const unsent: string[] = [];
      chat.session.onDidChange((event) => {
        if (event.type === 'unsent') unsent.push(event.text);
      });
      const sending = chat.session.send('One?');
      const response = await replies.next();
      await chat.session.send('Two?');
      end(response, chat);
      await sending;
      assert.deepEqual(unsent, ['Two?']);
      assert.equal(chat.session.unsent.text, 'Two?');
      assert.equal(countRequests(), 1);
    });
  }

  it('reopens with all its content, including a reply that arrived while its tab was closed', async () => {
    const chat = await openChatWithReply('One?', 'One.');
    const parameters = { ...noParameters, systemPrompt: 'Be brief', common: { temperature: 0.5 } };
    chat.session.target.parameters.choose(parameters, 'other');
    const sending = chat.session.send('Two?');
    const response = await replies.next();
    response.write(createTextChunk('Half'));
    await waitForEvent(chat.session.onDidChange, () => readTexts(chat).includes('Half'));
    chat.session.unsent.text = 'A thought';
    chat.panel.dispose();
    response.end(createTextChunk(' and half', 'stop'));
    await sending;
    await vscode.commands.executeCommand('modelGateway.chat.reopen');
    const again = services.chats.lastActive;
    assert.ok(again && again !== chat);
    assert.deepEqual(readTexts(again), ['One?', 'One.', 'Two?', 'Half and half']);
    assert.equal(again.session.conversation.lastTurn?.result?.outcome.kind, 'complete');
    assert.deepEqual(again.session.target.parameters.own, parameters);
    assert.equal(again.session.unsent.text, 'A thought');
    assert.equal(again.panel.title, 'One?');
  });

  const waysToGiveUp: Readonly<Record<string, (chat: ChatPanel) => void>> = {
    'is closed': (chat) => chat.panel.dispose(),
    'is stopped': (chat) => chat.session.stop(),
  };
  for (const [name, giveUp] of Object.entries(waysToGiveUp)) {
    it(`keeps a question, without sending it, when the chat ${name} while the model list is refreshed`, async () => {
      await services.gateways.setCurrent('kept');
      models.push('provider/new');
      const chat = await services.chats.open({ model: 'provider/new' });
      const sending = chat.session.send('One?');
      giveUp(chat);
      await sending;
      assert.equal(countRequests(), 0);
      if (name === 'is closed') await vscode.commands.executeCommand('modelGateway.chat.reopen');
      assert.equal(services.chats.lastActive?.session.unsent.text, 'One?');
    });
  }

  it('can be reopened unless it was empty or ten other chats were closed later', async () => {
    (await openNewChat()).panel.dispose();
    assert.equal(services.closedChats.take(), undefined);
    for (let nth = 0; nth < 12; nth += 1) {
      const chat = await openNewChat();
      chat.session.unsent.text = `Draft ${nth}`;
      chat.panel.dispose();
    }
    const stored: string[] = [];
    for (let chat = services.closedChats.take(); chat; chat = services.closedChats.take())
      stored.push(chat.unsent.text);
    assert.deepEqual([stored.length, stored[0], stored.at(-1)], [10, 'Draft 11', 'Draft 2']);
  });

  it('keeps its draft when it is empty and used as the new chat', async () => {
    const chat = await openNewChat();
    chat.session.unsent.text = 'Half a thought';
    assert.equal(await openNewChat(), chat);
    assert.equal(chat.session.unsent.text, 'Half a thought');
  });

  it('retries an earlier question on a new branch, and the first branch keeps its later turns', async () => {
    const chat = await openChatWithReply('One?', 'One.');
    await sendAndReply(chat, 'Two?', 'Two.');
    const page = createTestChat(services, chat.session);
    const [first] = chat.session.conversation.turns;
    page.receive({ type: 'action', action: 'again', turnId: first?.id });
    (await replies.next()).end(createTextChunk('One, again.', 'stop'));
    await waitForEvent(chat.session.onDidChange, () => !chat.session.isStreaming);
    assert.deepEqual(readTexts(chat), ['One?', 'One, again.']);
    assert.deepEqual(readContents(gateway.requests.at(-1)), ['One?']);
    page.receive({ type: 'show-branch', messageId: first?.firstReplyId });
    await waitForEvent(chat.session.onDidChange, () => chat.session.conversation.turns.length === 2);
    assert.deepEqual(readTexts(chat), ['One?', 'One.', 'Two?', 'Two.']);
  });

  it('sends an edited question on a new branch, and only once after a double click', async () => {
    const chat = await openChatWithReply('One?', 'One.');
    await sendAndReply(chat, 'Two?', 'Two.');
    const before = countRequests();
    const page = createTestChat(services, chat.session);
    const [first] = chat.session.conversation.turns;
    for (let click = 0; click < 2; click += 1) {
      page.receive({ type: 'edit-question', turnId: first?.id, text: 'Uno?' });
    }
    (await replies.next()).end(createTextChunk('Uno.', 'stop'));
    await waitForEvent(chat.session.onDidChange, () => !chat.session.isStreaming);
    assert.deepEqual(readTexts(chat), ['Uno?', 'Uno.']);
    assert.equal(countRequests(), before + 1);
    assert.equal(chat.session.unsent.text, 'Uno?', 'the unsent text is not lost');
  });

  it('forks into a separate chat with the turns so far, without a request', async () => {
    const chat = await openChatWithReply('One?', 'One.');
    await sendAndReply(chat, 'Two?', 'Two.');
    const before = countRequests();
    const page = createTestChat(services, chat.session);
    page.receive({ type: 'fork', turnId: chat.session.conversation.turns[0]?.id });
    await waitForEvent(services.chats.onDidChange, () => services.chats.lastActive !== chat);
    const fork = services.chats.lastActive;
    assert.ok(fork);
    assert.deepEqual(readTexts(fork), ['One?', 'One.']);
    assert.equal(fork.panel.title, 'One? (fork)');
    const stored = (await services.conversations.store()).get(fork.session.id);
    assert.equal(stored?.forkOf, chat.session.id, 'it is listed at once');
    await sendAndReply(fork, 'Three?', 'Three.');
    assert.deepEqual(readTexts(chat), ['One?', 'One.', 'Two?', 'Two.']);
    assert.equal(countRequests(), before + 1);
  });

  it('continues a cut reply where it ended, and shows one reply', async () => {
    const chat = await openNewChat();
    const sending = chat.session.send('One?');
    (await replies.next()).end(createTextChunk('Hal', 'length'));
    await sending;
    const page = createTestChat(services, chat.session);
    page.receive({ type: 'action', action: 'continue', turnId: chat.session.conversation.lastTurn?.id });
    (await replies.next()).end(createTextChunk('f.', 'stop'));
    await waitForEvent(chat.session.onDidChange, () => !chat.session.isStreaming);
    assert.deepEqual(readTexts(chat), ['One?', 'Half.']);
  });

  it('F70 sends one request when Continue is clicked twice, without the pictures of the next question', async () => {
    const chat = await openNewChat();
    const sending = chat.session.send('One?');
    const cut = await replies.next();
    await new Promise((written) => cut.write(createTextChunk('Half'), written));
    await waitForEvent(
      chat.session.onDidChange,
      () => chat.session.conversation.lastTurn?.replies[0]?.parts.length === 1,
    );
    chat.session.stop();
    await sending;
    const picture = { type: 'image', mimeType: 'image/png', data: 'AAAA' } as const;
    chat.session.unsent.attachments.putBack([picture]);
    const page = createTestChat(services, chat.session);
    for (const _ of ['a click', 'another one']) page.receive({ type: 'action', action: 'continue' });
    (await replies.next()).end(createTextChunk('of it', 'stop'));
    await waitForEvent(chat.session.onDidChange, () => !chat.session.isStreaming);
    assert.equal(countRequests(), 2);
    assert.deepEqual(chat.session.unsent.attachments.images, [picture]);
    assert.deepEqual(chat.session.conversation.lastTurn?.question.images, []);
  });

  it('P9 T13 sends its page a picture by its hash after it was reopened, but no picture of another chat', async () => {
    const png =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const chat = await openNewChat();
    const picture = { type: 'image', mimeType: 'image/png', data: png } as const;
    chat.session.unsent.attachments.putBack([picture]);
    await sendAndReply(chat, 'What is it?', 'A dot.');
    const { id } = chat.session;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    services.closedChats.take(id)?.dispose();
    const { session } = (await openChat(services, id)) ?? assert.fail('The chat is gone.');
    const page = createTestChat(services, session);
    page.receive({ type: 'ready' });
    const [image] = session.conversation.turns[0]?.question.images ?? [];
    assert.ok(image && isStoredImage(image));
    const { hash } = image;
    page.receive({ type: 'read-picture', hash });
    page.receive({ type: 'read-picture', hash: '0'.repeat(64) });
    const other = createTestChat(services, (await openChatWithReply('One?', 'One.')).session);
    other.receive({ type: 'ready' });
    other.receive({ type: 'read-picture', hash });
    const sent = await waitForPictures(page, 2);
    assert.deepEqual([sent.size, sent.get(hash)], [2, png]);
    assert.equal((await waitForPictures(other, 1)).get(hash), undefined);
  });

  it('F70 sends one request when the button of an earlier question is pressed twice', async () => {
    const chat = await openChatWithReply('One?', 'One.');
    await sendAndReply(chat, 'Two?', 'Two.');
    const before = countRequests();
    const page = createTestChat(services, chat.session);
    const [first] = chat.session.conversation.turns;
    for (const _ of ['a click', 'another one'])
      page.receive({ type: 'action', action: 'again', turnId: first?.id });
    (await replies.next()).end(createTextChunk('One, again.', 'stop'));
    await waitForEvent(chat.session.onDidChange, () => !chat.session.isStreaming);
    assert.deepEqual(readTexts(chat), ['One?', 'One, again.']);
    assert.equal(countRequests(), before + 1);
  });

  it('shows and stores reasoning between tags as reasoning, and does not send it again', async () => {
    const chat = await openNewChat();
    const page = createTestChat(services, chat.session);
    page.receive({ type: 'ready' });
    const sending = chat.session.send('One?');
    const response = await replies.next();
    for (const piece of ['<thi', 'nk>\nLet me', ' see.</', 'think>\n\nOn'])
      response.write(createTextChunk(piece));
    await waitForEvent(chat.session.onDidChange, () => readTexts(chat).includes('On'));
    response.end(createTextChunk('e.', 'stop'));
    await sending;
    const posted = page.posted as { type: string; text: string; reasoning: string }[];
    const deltas = posted.filter(({ type }) => type === 'delta');
    assert.equal(deltas.map(({ reasoning }) => reasoning).join(''), 'Let me see.');
    assert.equal(deltas.map(({ text }) => text).join(''), 'One.');
    const { id } = chat.session;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    services.closedChats.take(id)?.dispose();
    const again = (await openChat(services, id)) ?? assert.fail('The chat is gone.');
    const [reply] = again.session.conversation.turns[0]?.replies ?? [];
    const reasoning = { type: 'reasoning', text: 'Let me see.' };
    assert.deepEqual(reply?.parts, [reasoning, { type: 'text', text: 'One.' }]);
    await sendAndReply(again, 'Two?', '<think>');
    assert.deepEqual(readContents(gateway.requests.at(-1)), ['One?', 'One.', 'Two?']);
  });

  it('shows tags as text if the settings of the model require it', async () => {
    const settings = vscode.workspace.getConfiguration('modelGateway');
    const rules = [{ models: 'provider/*', thinkTags: 'none' }];
    await settings.update('models', rules, vscode.ConfigurationTarget.Global);
    try {
      const chat = await openChatWithReply('One?', '<think>Hm</think>One.');
      assert.deepEqual(readTexts(chat), ['One?', '<think>Hm</think>One.']);
    } finally {
      await settings.update('models', undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it('replaces a failed attempt when it is retried', async () => {
    const chat = await openNewChat();
    const sending = chat.session.send('One?');
    const response = await replies.next();
    response.statusCode = 429;
    response.end('{}');
    await sending;
    const again = chat.session.resend();
    (await replies.next()).end(createTextChunk('One.', 'stop'));
    await again;
    assert.deepEqual(readTexts(chat), ['One?', 'One.']);
  });

  /** The bytes of the pictures that the page received, once it has this many. */
  async function waitForPictures(page: TestPanel<unknown>, count: number): Promise<Map<string, unknown>> {
    const pictures = () =>
      (page.posted as { type: string; hash: string; data?: string }[]).filter(
        ({ type }) => type === 'picture',
      );
    while (pictures().length < count) await page.waitForPosts(page.posted.length + 1);
    return new Map(pictures().map(({ hash, data }) => [hash, data]));
  }

  async function openNewChat(): Promise<ChatPanel> {
    return services.chats.open({ model: 'provider/model' });
  }

  async function openChatWithReply(question: string, reply: string): Promise<ChatPanel> {
    const chat = await openNewChat();
    await sendAndReply(chat, question, reply);
    return chat;
  }

  async function sendAndReply(chat: ChatPanel, question: string, reply: string): Promise<void> {
    const sending = chat.session.send(question);
    (await replies.next()).end(createTextChunk(reply, 'stop'));
    await sending;
  }

  function countRequests(): number {
    return gateway.requests.filter(({ path }) => path === '/v1/chat/completions').length;
  }
});

/** The texts of the messages of a request. */
function readContents(request: { readonly body: string } | undefined): readonly unknown[] {
  return JSON.parse(request?.body ?? '{}').messages.map(({ content }: { content: unknown }) => content);
}

/** Questions and replies in order. */
function readTexts({ session }: ChatPanel): readonly string[] {
  return session.conversation.turns.flatMap(({ question, replies: [reply] }) => [
    question.text,
    reply ? replyText(reply) : '',
  ]);
}
