import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { replyText } from '../../src/conversations/conversation/reply.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { createChatNotice } from '../../src/host/chat/tab/chatState.ts';
import { createTurnViews } from '../../src/host/chat/view/turnViews.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, useGateway } from '../support/extensionServices.ts';
import {
  createTextChunk,
  type ScriptedGateway,
  type ScriptedModel,
  startScriptedGateway,
} from '../support/scriptedGateway.ts';

describe('a chat and its gateway', () => {
  let services: Services;
  let first: ScriptedGateway;
  let second: ScriptedGateway;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    first = await startScriptedGateway(['shared', 'only-first'], (response) =>
      respond(response, 'From the first'),
    );
    second = await startScriptedGateway(['shared', 'only-second'], (response) =>
      respond(response, 'From the second'),
    );
    await useGateway(services, 'second', second.baseUrl, 'second-credential');
    await useGateway(services, 'first', first.baseUrl, 'first-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (const name of ['first', 'second', 'renamed']) await services.gateways.remove(name);
    await Promise.allSettled([first.close(), second.close()]);
  });

  it('sends to its original gateway when the window switches to another', async () => {
    const chat = await beginChat('shared');
    await services.gateways.setCurrent('second');
    await chat.session.send('Where does this go?');
    await chat.session.resend();
    assert.equal(readLastText(chat), 'From the first');
    assert.equal(listChatRequests(first).length, 3);
    const others = second.requests.filter(({ path }) => path !== '/v1/models');
    assert.deepEqual(others, [], 'only the model list was requested from the other gateway');
    assert.ok(
      listChatRequests(first).every(({ authorization }) => authorization === 'Bearer first-credential'),
    );
  });

  it('shows once that it stays with its gateway, until the next question', async () => {
    const chat = await beginChat('shared');
    assert.equal(readNotice(chat), undefined);
    await services.gateways.setCurrent('second');
    assert.equal(readNotice(chat)?.title, 'This chat still uses first');
    await chat.session.send('Go on.');
    assert.equal(readNotice(chat), undefined);
  });

  it('removes notices that no longer apply as soon as a question is sent', async () => {
    const chat = await beginChat('only-first');
    const shown: unknown[] = [];
    chat.session.onDidChange(({ type }) => {
      if (type === 'target') shown.push(readNotice(chat)?.title);
    });
    await services.gateways.setCurrent('second');
    assert.equal(shown.at(-1), 'This chat still uses first');
    await services.connection.refresh();
    await chat.session.send('Go on.');
    assert.equal(shown.at(-1), undefined);
    chat.session.target.moveTo({ kind: 'gateway', name: 'second', baseUrl: second.baseUrl });
    await chat.session.send('Is this model here?');
    assert.equal(shown.at(-1), 'second does not list this model');
    await chat.session.send('Ask it all the same.');
    assert.equal(shown.at(-1), undefined);
  });

  it('does not take a model of another gateway: Use in This Chat opens another chat', async () => {
    const chat = await beginChat('only-first');
    await services.gateways.setCurrent('second');
    await services.connection.refresh();
    const model = services.connection.state.models.find(({ id }) => id === 'only-second');
    await vscode.commands.executeCommand('modelGateway.models.useInChat', model);
    assert.equal(chat.session.target.model, 'only-first');
    const opened = services.chats.lastActive;
    assert.ok(opened && opened !== chat);
    assert.equal(opened.session.target.model, 'only-second');
    await vscode.commands.executeCommand(
      'modelGateway.models.useInChat',
      services.connection.state.models[0],
    );
    assert.equal(services.chats.lastActive, opened);
    assert.equal(opened.session.target.model, 'shared');
  });

  it('stays the chat that commands use if another chat opens without the focus, as after a reload', async () => {
    const chat = await beginChat('shared');
    const location = { column: vscode.ViewColumn.Two, preserveFocus: true };
    const other = await services.chats.open({}, location);
    assert.notEqual(other, chat);
    assert.equal(services.chats.lastActive, chat);
  });

  it('uses the gateway of the window if it is new', async () => {
    await beginChat('shared');
    await services.gateways.setCurrent('second');
    const chat = await services.chats.open({ model: 'shared' });
    await chat.session.send('Who are you?');
    assert.equal(readLastText(chat), 'From the second');
    assert.equal(listChatRequests(second).length, 1);
  });

  it('follows the window while it is empty', async () => {
    const chat = await services.chats.open({ model: 'shared' });
    await services.gateways.setCurrent('second');
    await chat.session.send('Who are you?');
    assert.equal(readLastText(chat), 'From the second');
  });

  it('moves only after the user confirms, and shows the destination and the amount of history', async () => {
    const chat = await beginChat('shared');
    const refused = await answerDialogs('second', moveChat);
    assert.equal(refused.length, 1);
    assert.equal(refused[0]?.message, 'Move this chat to second?');
    assert.match(refused[0]?.detail ?? '', /one question with its reply/);
    assert.ok(refused[0]?.detail.includes(second.baseUrl));
    await chat.session.send('Still here?');
    assert.equal(readLastText(chat), 'From the first');

    chat.session.target.moveTo({ kind: 'gateway', name: 'second', baseUrl: second.baseUrl });
    await chat.session.send('And now?');
    assert.equal(readLastText(chat), 'From the second');
    assert.match(listChatRequests(second)[0]?.body ?? '', /Still here\?/, 'the history is sent');
  });

  it('does not send after its gateway was removed or got another address', async () => {
    const chat = await beginChat('shared');
    await useGateway(services, 'first', second.baseUrl, 'another-credential');
    const unsent = waitForReturnedQuestion(chat);
    await chat.session.send('To whom?');
    assert.equal(await unsent, 'To whom?');
    assert.equal(readNotice(chat)?.title, 'This chat’s gateway was removed');
    assert.deepEqual(listChatRequests(second), []);
  });

  it('does not use another account at the address of its removed gateway until it is moved', async () => {
    const chat = await beginChat('shared');
    await useGateway(services, 'renamed', first.baseUrl, 'other-credential');
    await services.gateways.remove('first');
    const before = first.requests.length;
    const unsent = waitForReturnedQuestion(chat);
    await chat.session.send('Who pays?');
    assert.equal(await unsent, 'Who pays?');
    const notice = readNotice(chat);
    assert.equal(notice?.title, 'This chat’s gateway was removed');
    assert.ok(notice.buttons.some(({ action }) => action === 'move-chat'));
    assert.equal(first.requests.length, before);
    chat.session.target.moveTo({ kind: 'gateway', name: 'renamed', baseUrl: first.baseUrl });
    await chat.session.send('And now?');
    assert.equal(first.requests.at(-1)?.authorization, 'Bearer other-credential');
  });

  it('stays with a gateway that is renamed by hand in the settings several times', async () => {
    const chat = await beginChat('shared');
    await services.credentials.store({ name: 'renamed', baseUrl: first.baseUrl }, 'renamed-credential');
    for (const name of ['typed', 'renamed']) await renameByHand(first.baseUrl, name);
    await chat.session.send('Still there?');
    assert.equal(readLastText(chat), 'From the first');
    assert.equal(first.requests.at(-1)?.authorization, 'Bearer renamed-credential');
  });

  function renameByHand(baseUrl: string, name: string): Thenable<void> {
    const gateways = services.gateways.all.map((each) =>
      each.baseUrl === baseUrl ? { name, baseUrl } : each,
    );
    const settings = vscode.workspace.getConfiguration('modelGateway');
    return settings.update('gateways', gateways, vscode.ConfigurationTarget.Global);
  }

  it('warns once, before sending, about a model that its gateway does not list', async () => {
    const chat = await services.chats.open({ model: 'only-second' });
    const unsent = waitForReturnedQuestion(chat);
    await chat.session.send('Is this model here?');
    assert.equal(await unsent, 'Is this model here?');
    assert.deepEqual(listChatRequests(first), []);
    assert.equal(readNotice(chat)?.title, 'first does not list this model');
    await chat.session.send('Ask it all the same.');
    assert.equal(listChatRequests(first).length, 1);
    await chat.session.send('And again.');
    assert.equal(listChatRequests(first).length, 2);
  });

  it('shows a failure under the reply, and not also above the message box', async () => {
    const chat = await beginChat('shared');
    await first.close();
    await services.connection.refresh();
    assert.equal(readNotice(chat)?.severity, 'error');
    await chat.session.send('Are you there?');
    assert.equal(createTurnViews(chat.session.conversation).at(-1)?.notice?.severity, 'error');
    assert.equal(readNotice(chat), undefined);
  });

  it('keeps its model when another chat chooses one', async () => {
    await services.connection.refresh();
    const chat = await services.chats.open({});
    chat.session.target.chooseModel('shared');
    await chat.session.send('One.');
    (await services.chats.open({ model: 'only-first' })).session.target.chooseModel('only-first');
    await chat.session.send('Two.');
    assert.deepEqual(
      listChatRequests(first).map(({ body }) => JSON.parse(body).model),
      ['shared', 'shared'],
    );
  });

  it('suggests for a new chat the model that replied last, not one that was only chosen or that failed', async () => {
    const readSuggestion = async () => {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      return (await services.chats.open({})).session.target.model;
    };
    const list: ScriptedModel[] = ['text-embedding-3', 'retired', 'words', 'other', 'chosen'];
    const gateway = await startScriptedGateway(list, (response, { body }) => {
      if (JSON.parse(body).model !== 'retired') return respond(response, 'Yes');
      response.statusCode = 404;
      response.end(JSON.stringify({ error: { message: 'No', code: 'model_not_found' } }));
    });
    await useGateway(services, 'retiring', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    assert.equal(await readSuggestion(), 'retired', 'the first chat model');
    const refused = await services.chats.open({});
    await refused.session.send('Are you there?');
    assert.equal(
      createTurnViews(refused.session.conversation)[0]?.notice?.buttons[0]?.action,
      'choose-model',
    );
    assert.equal(await readSuggestion(), 'words');
    await (await services.chats.open({ model: 'other' })).session.send('And you?');
    (await services.chats.open({})).session.target.chooseModel('chosen');
    assert.equal(await readSuggestion(), 'other');
    await services.gateways.remove('retiring');
    await gateway.close();
  });

  it('shows that no model is for chats, and sends to one if the user chooses it', async () => {
    const gateway = await startScriptedGateway(['whisper-1', 'veo-3'], (response) =>
      respond(response, 'Yes'),
    );
    await useGateway(services, 'silent', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    const chat = await services.chats.open({});
    assert.equal(readNotice(chat)?.title, 'silent does not list any chat models');
    assert.equal(readNotice(chat)?.buttons[0]?.action, 'choose-model');
    const unsent = waitForReturnedQuestion(chat);
    await chat.session.send('Anybody there?');
    assert.equal(await unsent, 'Anybody there?');
    chat.session.target.chooseModel('whisper-1');
    assert.equal(readNotice(chat), undefined);
    await chat.session.send('And now?');
    assert.equal(readLastText(chat), 'Yes');
    await services.gateways.remove('silent');
    await gateway.close();
  });

  async function beginChat(model: string): Promise<ChatPanel> {
    const chat = await services.chats.open({ model });
    await chat.session.send('Begin here.');
    assert.equal(readLastText(chat), 'From the first');
    return chat;
  }

  function moveChat(): PromiseLike<unknown> {
    return vscode.commands.executeCommand('modelGateway.chat.move');
  }
});

function respond(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'text/event-stream');
  response.end(createTextChunk(text, 'stop'));
}

function listChatRequests({ requests }: ScriptedGateway) {
  return requests.filter(({ path }) => path === '/v1/chat/completions');
}

function readNotice(chat: ChatPanel) {
  const { target, conversation } = chat.session;
  return createChatNotice(target.gateway, target.model, conversation.lastTurn);
}

/** The text of the next question that is returned to the message box. */
function waitForReturnedQuestion(chat: ChatPanel): Promise<string> {
  return new Promise((resolve) => {
    const subscription = chat.session.onDidChange((event) => {
      if (event.type !== 'unsent') return;
      subscription.dispose();
      resolve(event.text);
    });
  });
}

function readLastText(chat: ChatPanel): string {
  const reply = chat.session.conversation.lastTurn?.replies[0];
  return reply ? replyText(reply) : '';
}
