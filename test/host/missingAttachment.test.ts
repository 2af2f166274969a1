import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Image } from '../../src/conversations/conversation/reply.ts';
import type { Services } from '../../src/host/app/services.ts';
import { createContextViews } from '../../src/host/chat/context/contextView.ts';
import type { ChatSession } from '../../src/host/chat/session/chatSession.ts';
import { openChat } from '../../src/host/chat/tab/openChat.ts';
import { answerDialogs } from '../support/dialogs.ts';
import { getServices, useGateway, waitForEvent } from '../support/extensionServices.ts';
import { createTextChunk, type ScriptedGateway, startScriptedGateway } from '../support/scriptedGateway.ts';
import { createWaitingStore } from '../support/waitingStore.ts';

/** A picture of one pixel, made unique by a word. */
function createPicture(word: string): Image {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
    'base64',
  );
  return {
    type: 'image',
    mimeType: 'image/png',
    data: Buffer.concat([png, Buffer.from(word)]).toString('base64'),
  };
}

describe('an attachment that is missing on disk', () => {
  let services: Services;
  let gateway: ScriptedGateway;

  before(async () => {
    services = await getServices();
  });

  beforeEach(async () => {
    gateway = await startScriptedGateway(['provider/model'], (response) => {
      response.setHeader('content-type', 'text/event-stream').end(createTextChunk('Seen.', 'stop'));
    });
    await useGateway(services, 'vanished', gateway.baseUrl, 'test-credential');
    await services.connection.refresh();
  });

  afterEach(async () => {
    await close();
    await services.gateways.remove('vanished');
    await gateway.close();
  });

  const countRequests = () => gateway.requests.filter(({ path }) => path === '/v1/chat/completions').length;

  async function close(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    for (let closed = services.closedChats.take(); closed; closed = services.closedChats.take()) {
      closed.dispose();
    }
  }

  /** Closes a chat, deletes a picture from the disk, and opens the chat again. */
  async function reopenWithoutPicture(
    { id }: ChatSession,
    image: Image,
    isDraft: boolean,
  ): Promise<ChatSession> {
    const store = createWaitingStore(await services.conversations.store());
    const hash = await store.attachments.add(Buffer.from(image.data, 'base64'));
    await close();
    // The draft is written when the chat is unloaded.
    while (isDraft && !store.drafts.read(id)?.attachments.includes(hash)) await setTimeout(50);
    rmSync(store.attachments.path(hash));
    return (await openChat(services, id))?.session ?? assert.fail();
  }

  it('is reported, and a question that would be empty without it is not sent in any way', async () => {
    const { session } = await services.chats.open({ model: 'provider/model' });
    const image = createPicture('question');
    session.unsent.attachments.putBack([image]);
    await session.send('');
    assert.equal(countRequests(), 1);
    const back = await reopenWithoutPicture(session, image, false);
    const turn = back.conversation.lastTurn?.id ?? '';
    const ways = [
      () => back.resend(),
      () => back.editQuestion(turn, ' '),
      () => back.comparisonActions.sendToMoreModels(turn, ['provider/model']),
    ];
    for (const way of ways) {
      const seen = await answerDialogs(undefined, way);
      assert.match(seen[0]?.message ?? '', /^Nothing was sent\. .*no longer on the disk: Picture\./);
    }
    assert.equal(countRequests(), 1);
    await back.editQuestion(turn, 'What was it?');
    assert.equal(countRequests(), 2);
    assert.match(JSON.stringify(back.conversation.lastTurn?.omitted), /omitted-missing-picture/);
  });

  it('is shown as a chip in the draft, and the draft is not sent before the chip is removed', async () => {
    const { session } = await services.chats.open({ model: 'provider/model' });
    await session.send('First');
    const image = createPicture('draft');
    session.unsent.attachments.putBack([image]);
    session.setMessageText('What is this?');
    const back = await reopenWithoutPicture(session, image, true);
    const { context, text } = back.unsent;
    assert.equal(text, 'What is this?');
    const shown = () => createContextViews(context.entries);
    await waitForEvent(context.onDidChange, () => shown()[0]?.problem !== undefined);
    assert.deepEqual([shown()[0]?.name, shown()[0]?.icon], ['Picture', 'error']);
    assert.match(shown()[0]?.problem ?? '', /no longer on the disk/);
    const seen = await answerDialogs(undefined, () => back.send('What is this?'));
    assert.match(seen[0]?.message ?? '', /^Nothing was sent\. “Picture” is no longer on the disk/);
    assert.equal(countRequests(), 1);
    context.remove(context.entries[0]?.id ?? '');
    await back.send('What is this?');
    assert.equal(countRequests(), 2);
  });

  it('is reported when it is added as a picture from a file', async () => {
    const { session } = await services.chats.open({ model: 'provider/model' });
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const none = vscode.Uri.joinPath(folder?.uri ?? assert.fail(), 'none.png');
    const seen = await answerDialogs(undefined, () => session.unsent.attachments.addFile(none));
    assert.match(seen[0]?.message ?? '', /“none\.png” does not exist or cannot be read/);
  });
});
