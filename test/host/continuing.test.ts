import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { findTurnView } from '../../src/host/chat/view/turnViews.ts';
import { getServices, unloadClosedChats, useGateway } from '../support/extensionServices.ts';
import {
  createTextChunk,
  type ReceivedChat,
  type ScriptedGateway,
  startScriptedGateway,
} from '../support/scriptedGateway.ts';

interface SentMessage {
  readonly role: string;
  readonly content: string;
  readonly prefix?: boolean;
}

describe('a reply that was cut', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let chat: ChatPanel;
  /** The gateway's replies to each request, in order. */
  let replies: ((response: ServerResponse) => void)[];

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    replies = [];
    const models = ['provider/plain', { id: 'provider/takes', supports_assistant_prefill: true }];
    gateway = await startScriptedGateway(models, (response) => {
      response.setHeader('content-type', 'text/event-stream');
      replies.shift()?.(response);
    });
    await useGateway(services, 'cut', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
    await services.gateways.remove('cut');
    await gateway.close();
  });

  const createTextReply = (text: string, end: string) => (response: ServerResponse) =>
    response.end(createTextChunk(text, end));
  const listChatRequests = (): readonly ReceivedChat[] =>
    gateway.requests.filter(({ path }) => path === '/v1/chat/completions');
  const readSent = (): readonly SentMessage[] => JSON.parse(listChatRequests().at(-1)?.body ?? '{}').messages;
  const readReply = () => {
    const [first] = chat.session.conversation.lastTurn?.replies ?? [];
    return first && replyText(first);
  };

  async function sendAndCut(model: string, text: string): Promise<void> {
    chat = await services.chats.open({ model });
    replies.push(createTextReply(text, 'length'));
    await chat.session.send('Count.');
  }

  async function continueWith(...more: (typeof replies)[number][]): Promise<void> {
    replies.push(...more);
    await chat.session.continueReply();
  }

  it('is continued by its prefix if the gateway reports that the model supports this', async () => {
    await sendAndCut('provider/takes', 'One,\n  ');
    await continueWith(createTextReply('\n  two', 'length'));
    assert.deepEqual(readSent(), [
      { role: 'user', content: 'Count.' },
      { role: 'assistant', content: 'One,', prefix: true },
    ]);
    assert.equal(readReply(), 'One,\n  two');
    await continueWith(createTextReply(', three.', 'stop'));
    assert.equal(readSent().at(-1)?.content, 'One,\n  two');
    assert.equal(readReply(), 'One,\n  two, three.');
    assert.equal(chat.session.conversation.turns.length, 1);
  });

  it('is continued by an instruction otherwise, without repeated text', async () => {
    await sendAndCut('provider/plain', 'One, two, thre');
    await continueWith(createTextReply('three, ', 'length'));
    assert.deepEqual(
      readSent().map(({ role }) => role),
      ['user', 'assistant', 'user'],
    );
    assert.match(readSent().at(-1)?.content ?? '', /cut off.*"One, two, thre"/s);
    assert.equal(readReply(), 'One, two, three, ');
  });

  it('is continued by an instruction at the next click after its prefix was refused', async () => {
    await sendAndCut('provider/takes', 'One, ');
    const refusal = {
      error: { message: 'This model does not support prefill.', type: 'invalid_request_error' },
    };
    await continueWith((response) => {
      response.statusCode = 400;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(refusal));
    });
    assert.equal(listChatRequests().length, 2);
    assert.equal(readReply(), 'One, ');
    replies.push(createTextReply('two.', 'stop'));
    await chat.session.resend();
    assert.equal(readSent().at(-1)?.role, 'user');
    assert.equal(readReply(), 'One, two.');
  });

  it('is continued by another model, after its chat was reopened', async () => {
    await sendAndCut('provider/takes', 'One, ');
    const { id } = chat.session;
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    services.closedChats.take()?.dispose();
    const reopened = await services.chats.reopen({ chat: id }, {});
    assert.ok(reopened);
    chat = reopened;
    chat.session.target.chooseModel('provider/plain');
    await continueWith(createTextReply('two.', 'stop'));
    assert.equal(JSON.parse(listChatRequests().at(-1)?.body ?? '{}').model, 'provider/plain');
    assert.equal(readReply(), 'One, two.');
    assert.deepEqual(
      chat.session.conversation.tree.siblings(chat.session.conversation.lastTurn?.firstReplyId ?? '').length,
      1,
    );
  });

  it('shows the sum of the tokens of its parts', async () => {
    const usage = (prompt: number, completion: number) =>
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion } })}\n\n`;
    chat = await services.chats.open({ model: 'provider/plain' });
    replies.push((response) =>
      response.end(`${createTextChunk('One, ', 'length') + usage(10, 2)}data: [DONE]\n\n`),
    );
    await chat.session.send('Count.');
    await continueWith((response) =>
      response.end(`${createTextChunk('two.', 'stop') + usage(20, 3)}data: [DONE]\n\n`),
    );
    const { conversation } = chat.session;
    const { figures } = findTurnView(conversation, conversation.lastTurn?.id ?? '') ?? assert.fail();
    assert.deepEqual(
      [figures.inputTokens, figures.outputTokens, figures.isOutputPartial, figures.end],
      [30, 5, undefined, 'complete'],
    );
  });

  it('keeps the text of a continuation that is cut off, and is continued after it', async () => {
    await sendAndCut('provider/plain', 'One, two');
    await continueWith((response) => void response.write(createTextChunk('two'), () => response.destroy()));
    assert.equal(chat.session.conversation.lastTurn?.result?.outcome.kind, 'interrupted');
    await continueWith(createTextReply(', three', 'stop'));
    assert.equal(readReply(), 'One, twotwo, three');
  });
});
