import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Services } from '../../src/host/app/services.ts';
import { handleBranchMessage } from '../../src/host/chat/pageMessages/chatPageMessages.ts';
import type { ChatSession } from '../../src/host/chat/session/chatSession.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, unloadClosedChats, useGateway } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';

describe('a long text pasted into a question being edited', () => {
  let services: Services;
  let gateway: ScriptedGateway;
  let session: ChatSession;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    gateway = await startScriptedGateway(['provider/model'], (response) => {
      response.setHeader('content-type', 'text/event-stream').end(createTextChunk('Seen.', 'stop'));
    });
    await useGateway(services, 'edited', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
    ({ session } = await services.chats.open({ model: 'provider/model' }));
    await session.send('What is this?');
  });

  afterEach(async () => {
    await close();
    await services.gateways.remove('edited');
    await gateway.close();
  });

  async function close(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    unloadClosedChats(services);
  }

  function edit(text: string, ...pasted: readonly string[]): Promise<void> {
    const texts = pasted.map((each, nth) => ({ name: `Pasted text ${nth}`, text: each }));
    const turnId = session.conversation.lastTurn?.id ?? '';
    const message = { type: 'edit-question' as const, turnId, text, pasted: texts };
    return handleBranchMessage(message, session, async () => assert.fail('a chat of its own'));
  }

  it('is sent with the question, and stored', async () => {
    const text = `const pasted = ${JSON.stringify('x'.repeat(30_000))};`;
    await edit('And this?', text);
    const files = [{ name: 'Pasted text 0', language: '', text }];
    assert.deepEqual(session.conversation.lastTurn?.question.files, files);
    assert.ok(gateway.requests.at(-1)?.body.includes(JSON.stringify(text).slice(1, -1)));
    await close();
    const again = await openChat(services, session.id);
    assert.deepEqual(again?.session.conversation.lastTurn?.question.files, files);
  });

  it('is given back, without sending, if it exceeds the limit of one question', async () => {
    const megabyte = 'x'.repeat(1024 * 1024);
    await edit('And these?', megabyte, megabyte);
    const sent = gateway.requests.length;
    const [seen] = await answerDialogs(undefined, () => edit('And those?', megabyte, megabyte, megabyte));
    assert.match(seen?.message ?? '', /^Nothing was sent\. The context is too large: 5\.0 MB/);
    assert.equal(gateway.requests.length, sent);
    const { text, context } = session.unsent;
    assert.deepEqual([text, context.entries.length], ['And those?', 5]);
  });
});
