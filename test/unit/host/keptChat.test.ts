import assert from 'node:assert/strict';
import type { ChatResult } from '../../../src/client/types.ts';
import { Conversation } from '../../../src/conversations/conversation.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import { textOf } from '../../../src/conversations/reply.ts';
import type { Question, Turn } from '../../../src/conversations/turn.ts';
import { type ChatOwner, KeptChat } from '../../../src/host/chat/keptChat.ts';
import { StoreFolder } from '../../support/conversationStores.ts';

const how = { model: 'model', format: 'messages', parameters: {} } as const;
const complete: ChatResult = {
  ...{ outcome: { kind: 'complete' }, requestId: 'r', requestedAt: new Date(7), totalMs: 3 },
};

function question(text: string): Question {
  return { text, images: [], ...how };
}

/** A chat in a window of its own. */
class Window implements ChatOwner {
  readonly service: ConversationService;
  readonly paths: number[] = [];
  isStreaming = false;
  readonly facts = () => ({});
  readonly keepingChanged = () => undefined;
  readonly pathChanged = (kept: number) => void this.paths.push(kept);

  constructor(file: string) {
    this.service = new ConversationService({ file, onNotice: () => assert.fail(), onError: assert.ifError });
  }

  begin(): KeptChat {
    const conversation = new Conversation();
    return new KeptChat({ conversation, keep: (links) => this.service.keep(conversation, links) }, this);
  }

  async reopen({ keeper }: KeptChat): Promise<KeptChat> {
    return new KeptChat((await this.service.reopen(keeper.id)) ?? assert.fail(), this);
  }

  /** Sees what other windows did. */
  async notice(chat: KeptChat): Promise<void> {
    (await this.service.store()).noticeOthers();
    while (this.isReading(chat)) await new Promise(setImmediate);
  }

  private isReading(chat: KeptChat): boolean {
    return !this.isStreaming && chat.isBehind;
  }
}

describe('a chat that is open in two windows', () => {
  let folder: StoreFolder;
  let first: Window;
  let second: Window;
  let here: KeptChat;
  let there: KeptChat;
  let one: string;

  beforeEach(async () => {
    folder = new StoreFolder();
    first = new Window(folder.file);
    second = new Window(folder.file);
    here = first.begin();
    one = await answer(here, here.conversation.ask(question('one?')), 'One.');
    there = await second.reopen(here);
  });

  afterEach(async () => {
    await Promise.all([first.service.dispose(), second.service.dispose()]);
    folder.remove();
  });

  async function arrive({ conversation, keeper }: KeptChat, turn: Turn | undefined, text: string) {
    assert.ok(turn);
    await keeper.asked(turn);
    const events = [{ type: 'text', choice: 0, text }] as const;
    conversation.apply(turn.id, events);
    keeper.arrived(turn.id, events);
    await keeper.flush();
    return turn.id;
  }

  async function end({ conversation, keeper }: KeptChat, id: string): Promise<void> {
    conversation.finish(id, complete);
    await keeper.ended(conversation.answer(id) ?? assert.fail());
  }

  async function answer(chat: KeptChat, turn: Turn | undefined, text: string): Promise<string> {
    const id = await arrive(chat, turn, text);
    await end(chat, id);
    return id;
  }

  const shown = ({ conversation }: KeptChat) =>
    conversation.turns.flatMap((turn) => [turn.question.text, ...turn.replies.map(textOf)]);

  it('goes on in both, from the end that both show', async () => {
    await answer(here, here.conversation.ask(question('two?')), 'Two.');
    await second.notice(there);
    assert.deepEqual(shown(there), ['one?', 'One.', 'two?', 'Two.']);
    assert.deepEqual(second.paths, [1], 'only what is new travels to the page');
    await answer(there, there.conversation.ask(question('three?')), 'Three.');
    await first.notice(here);
    assert.deepEqual(shown(here), ['one?', 'One.', 'two?', 'Two.', 'three?', 'Three.']);
  });

  it('shows in the other what arrives, and how it ended', async () => {
    const id = await arrive(here, here.conversation.ask(question('two?')), 'Tw');
    await second.notice(there);
    assert.deepEqual(shown(there).slice(2), ['two?', 'Tw']);
    assert.equal(there.conversation.last?.unfinished, 'elsewhere');
    here.conversation.apply(id, [{ type: 'text', choice: 0, text: 'o.' }]);
    await end(here, id);
    await second.notice(there);
    assert.deepEqual(shown(there).slice(2), ['two?', 'Two.']);
    assert.equal(there.conversation.last?.unfinished, undefined);
    assert.equal(there.conversation.last?.result?.outcome.kind, 'complete');
  });

  it('learns at the end of its own reply what another window did meanwhile', async () => {
    second.isStreaming = true;
    const turn = there.conversation.ask(question('mine?'));
    await there.keeper.asked(turn);
    await answer(here, here.conversation.ask(question('yours?')), 'Yours.');
    await second.notice(there);
    assert.deepEqual(second.paths, []);
    await end(there, turn.id);
    second.isStreaming = false;
    await there.catchUp();
    assert.deepEqual(shown(there).slice(2), ['mine?', ''], 'the path stays');
    assert.equal(there.conversation.siblings(turn.questionId).length, 2);
  });

  it('stays on its branch, with the other one beside it', async () => {
    await answer(there, there.conversation.askAgain(one, how), 'Uno.');
    await first.notice(here);
    assert.deepEqual(shown(here), ['one?', 'One.']);
    assert.equal(here.conversation.siblings(one).length, 2);
    assert.deepEqual(first.paths, [0]);
  });

  it('loses what was deleted elsewhere, and not what is deleted for good', async () => {
    const two = await answer(here, here.conversation.ask(question('two?')), 'Two.');
    await second.notice(there);
    (await first.service.store()).deleteMessages(here.keeper.id, two);
    await second.notice(there);
    assert.deepEqual(shown(there).slice(0, 2), ['one?', 'One.']);
    assert.equal(there.conversation.has(two), false);
    const { database } = await first.service.store();
    database.write(() => database.run('DELETE FROM conversations'));
    await second.notice(there);
    assert.deepEqual(shown(there).slice(0, 2), ['one?', 'One.']);
  });
});
