import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import * as vscode from 'vscode';
import { textOf } from '../../src/conversations/conversation/reply.ts';
import type { Services } from '../../src/host/app/services.ts';
import type { ChatPanel } from '../../src/host/chat/tab/chatPanel.ts';
import { chatNotice, turnViews } from '../../src/host/chat/view/chatView.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { extensionServices, useGateway } from '../support/extensionServices.ts';
import {
  type ScriptedGateway,
  type ScriptedModel,
  startScriptedGateway,
  textChunk,
} from '../support/scriptedGateway.ts';

describe('a chat and the gateway it belongs to', () => {
  let services: Services;
  let first: ScriptedGateway;
  let second: ScriptedGateway;

  before(async () => {
    services = await extensionServices();
  });

  beforeEach(async () => {
    first = await startScriptedGateway(['shared', 'only-first'], (response) =>
      answer(response, 'From the first'),
    );
    second = await startScriptedGateway(['shared', 'only-second'], (response) =>
      answer(response, 'From the second'),
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

  it('keeps asking the gateway it was begun with when the window switches to another', async () => {
    const chat = await begun('shared');
    await services.gateways.use('second');
    await chat.session.ask('Where does this go?');
    await chat.session.again();
    assert.equal(lastText(chat), 'From the first');
    assert.equal(chats(first).length, 3);
    const others = second.requests.filter(({ path }) => path !== '/v1/models');
    assert.deepEqual(others, [], 'nothing but the list of models went to the other gateway');
    assert.ok(chats(first).every(({ authorization }) => authorization === 'Bearer first-credential'));
  });

  it('says once that it stays behind, until it is asked again', async () => {
    const chat = await begun('shared');
    assert.equal(noticeOf(chat), undefined);
    await services.gateways.use('second');
    assert.equal(noticeOf(chat)?.title, 'This chat stays with first');
    await chat.session.ask('Go on.');
    assert.equal(noticeOf(chat), undefined);
  });

  it('takes back on the page what no longer stands in the way, the moment it is asked', async () => {
    const chat = await begun('only-first');
    const shown: unknown[] = [];
    chat.session.onDidChange(({ type }) => {
      if (type === 'target') shown.push(noticeOf(chat)?.title);
    });
    await services.gateways.use('second');
    assert.equal(shown.at(-1), 'This chat stays with first');
    await services.connection.refresh();
    await chat.session.ask('Go on.');
    assert.equal(shown.at(-1), undefined);
    chat.session.target.moveTo({ kind: 'gateway', name: 'second', baseUrl: second.baseUrl });
    await chat.session.ask('Is this model here?');
    assert.equal(shown.at(-1), 'second does not list this model');
    await chat.session.ask('Ask it all the same.');
    assert.equal(shown.at(-1), undefined);
  });

  it('is asked for no model of another gateway: Use in This Chat opens a chat for it', async () => {
    const chat = await begun('only-first');
    await services.gateways.use('second');
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

  it('asks the window’s gateway from a new chat', async () => {
    await begun('shared');
    await services.gateways.use('second');
    const chat = await services.chats.open({ model: 'shared' });
    await chat.session.ask('Who are you?');
    assert.equal(lastText(chat), 'From the second');
    assert.equal(chats(second).length, 1);
  });

  it('an empty chat follows the window', async () => {
    const chat = await services.chats.open({ model: 'shared' });
    await services.gateways.use('second');
    await chat.session.ask('Who are you?');
    assert.equal(lastText(chat), 'From the second');
  });

  it('moves only when the user says so, who is told what goes where', async () => {
    const chat = await begun('shared');
    const refused = await answerDialogs('second', move);
    assert.equal(refused.length, 1);
    assert.equal(refused[0]?.message, 'Move this chat to second?');
    assert.match(refused[0]?.detail ?? '', /one question with its reply/);
    assert.ok(refused[0]?.detail.includes(second.baseUrl));
    await chat.session.ask('Still here?');
    assert.equal(lastText(chat), 'From the first');

    chat.session.target.moveTo({ kind: 'gateway', name: 'second', baseUrl: second.baseUrl });
    await chat.session.ask('And now?');
    assert.equal(lastText(chat), 'From the second');
    assert.match(chats(second)[0]?.body ?? '', /Still here\?/, 'the history goes along');
  });

  it('sends nothing once its gateway was removed or has another address', async () => {
    const chat = await begun('shared');
    await useGateway(services, 'first', second.baseUrl, 'another-credential');
    const unsent = givenBack(chat);
    await chat.session.ask('To whom?');
    assert.equal(await unsent, 'To whom?');
    assert.equal(noticeOf(chat)?.title, 'This chat’s gateway was removed');
    assert.deepEqual(chats(second), []);
  });

  it('spends nothing of another account at the address of its gateway that was removed, until it is moved', async () => {
    const chat = await begun('shared');
    await useGateway(services, 'renamed', first.baseUrl, 'other-credential');
    await services.gateways.remove('first');
    const before = first.requests.length;
    const unsent = givenBack(chat);
    await chat.session.ask('Who pays?');
    assert.equal(await unsent, 'Who pays?');
    const notice = noticeOf(chat);
    assert.equal(notice?.title, 'This chat’s gateway was removed');
    assert.ok(notice.buttons.some(({ action }) => action === 'move-chat'));
    assert.equal(first.requests.length, before);
    chat.session.target.moveTo({ kind: 'gateway', name: 'renamed', baseUrl: first.baseUrl });
    await chat.session.ask('And now?');
    assert.equal(first.requests.at(-1)?.authorization, 'Bearer other-credential');
  });

  it('stays with a gateway that got another name by hand in the settings, however often', async () => {
    const chat = await begun('shared');
    await services.credentials.store({ name: 'renamed', baseUrl: first.baseUrl }, 'renamed-credential');
    for (const name of ['typed', 'renamed']) await renameByHand(first.baseUrl, name);
    await chat.session.ask('Still there?');
    assert.equal(lastText(chat), 'From the first');
    assert.equal(first.requests.at(-1)?.authorization, 'Bearer renamed-credential');
  });

  function renameByHand(baseUrl: string, name: string): Thenable<void> {
    const gateways = services.gateways.all.map((each) =>
      each.baseUrl === baseUrl ? { name, baseUrl } : each,
    );
    const settings = vscode.workspace.getConfiguration('modelGateway');
    return settings.update('gateways', gateways, vscode.ConfigurationTarget.Global);
  }

  it('tells of a model that its gateway does not list before anything is sent, once', async () => {
    const chat = await services.chats.open({ model: 'only-second' });
    const unsent = givenBack(chat);
    await chat.session.ask('Is this model here?');
    assert.equal(await unsent, 'Is this model here?');
    assert.deepEqual(chats(first), []);
    assert.equal(noticeOf(chat)?.title, 'first does not list this model');
    await chat.session.ask('Ask it all the same.');
    assert.equal(chats(first).length, 1);
    await chat.session.ask('And again.');
    assert.equal(chats(first).length, 2);
  });

  it('tells a failure under the reply, and not once more above the message box', async () => {
    const chat = await begun('shared');
    await first.close();
    await services.connection.refresh();
    assert.equal(noticeOf(chat)?.severity, 'error');
    await chat.session.ask('Are you there?');
    assert.equal(turnViews(chat.session.conversation).at(-1)?.notice?.severity, 'error');
    assert.equal(noticeOf(chat), undefined);
  });

  it('keeps its model when another chat chooses one', async () => {
    await services.connection.refresh();
    const chat = await services.chats.open({});
    chat.session.target.chooseModel('shared');
    await chat.session.ask('One.');
    (await services.chats.open({ model: 'only-first' })).session.target.chooseModel('only-first');
    await chat.session.ask('Two.');
    assert.deepEqual(
      chats(first).map(({ body }) => JSON.parse(body).model),
      ['shared', 'shared'],
    );
  });

  it('suggests for a new chat the model that replied last, not one that was only chosen or refused', async () => {
    const suggested = async () => {
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      return (await services.chats.open({})).session.target.model;
    };
    const list: ScriptedModel[] = ['text-embedding-3', 'retired', 'words', 'other', 'chosen'];
    const gateway = await startScriptedGateway(list, (response, { body }) => {
      if (JSON.parse(body).model !== 'retired') return answer(response, 'Yes');
      response.statusCode = 404;
      response.end(JSON.stringify({ error: { message: 'No', code: 'model_not_found' } }));
    });
    await useGateway(services, 'retiring', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    assert.equal(await suggested(), 'retired', 'the first that can chat');
    const refused = await services.chats.open({});
    await refused.session.ask('Are you there?');
    assert.equal(turnViews(refused.session.conversation)[0]?.notice?.buttons[0]?.action, 'choose-model');
    assert.equal(await suggested(), 'words');
    await (await services.chats.open({ model: 'other' })).session.ask('And you?');
    (await services.chats.open({})).session.target.chooseModel('chosen');
    assert.equal(await suggested(), 'other');
    await services.gateways.remove('retiring');
    await gateway.close();
  });

  it('says that no model is for chats, and asks one all the same where the user chooses it', async () => {
    const gateway = await startScriptedGateway(['whisper-1', 'veo-3'], (response) => answer(response, 'Yes'));
    await useGateway(services, 'silent', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    const chat = await services.chats.open({});
    assert.equal(noticeOf(chat)?.title, 'silent lists no model for chats');
    assert.equal(noticeOf(chat)?.buttons[0]?.action, 'choose-model');
    const unsent = givenBack(chat);
    await chat.session.ask('Anybody there?');
    assert.equal(await unsent, 'Anybody there?');
    chat.session.target.chooseModel('whisper-1');
    assert.equal(noticeOf(chat), undefined);
    await chat.session.ask('And now?');
    assert.equal(lastText(chat), 'Yes');
    await services.gateways.remove('silent');
    await gateway.close();
  });

  async function begun(model: string): Promise<ChatPanel> {
    const chat = await services.chats.open({ model });
    await chat.session.ask('Begin here.');
    assert.equal(lastText(chat), 'From the first');
    return chat;
  }

  function move(): PromiseLike<unknown> {
    return vscode.commands.executeCommand('modelGateway.chat.move');
  }
});

function answer(response: ServerResponse, text: string): void {
  response.setHeader('content-type', 'text/event-stream');
  response.end(textChunk(text, 'stop'));
}

function chats({ requests }: ScriptedGateway) {
  return requests.filter(({ path }) => path === '/v1/chat/completions');
}

function noticeOf(chat: ChatPanel) {
  const { target, conversation } = chat.session;
  return chatNotice(target.gateway, target.model, conversation.last);
}

/** The text of the next question that is given back. */
function givenBack(chat: ChatPanel): Promise<string> {
  return new Promise((resolve) => {
    const subscription = chat.session.onDidChange((event) => {
      if (event.type !== 'unsent') return;
      subscription.dispose();
      resolve(event.text);
    });
  });
}

function lastText(chat: ChatPanel): string {
  const reply = chat.session.conversation.last?.replies[0];
  return reply ? textOf(reply) : '';
}
