import assert from 'node:assert/strict';
import { Conversation } from '../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../src/conversations/conversation/reply.ts';
import type { ReplyResult, Turn } from '../../../src/conversations/conversation/turn.ts';
import { ConversationService } from '../../../src/conversations/conversationService.ts';
import type { ConversationSaver } from '../../../src/conversations/saving/conversationSaver.ts';
import { ChatCompletionsDecoder } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import type { ChatEvent, Usage } from '../../../src/wire/chatEvent.ts';
import { ReplyDecoder } from '../../../src/wire/stream/replyDecoder.ts';
import {
  addQuestion as addStoredQuestion,
  createResult,
  createTextEvent,
  StoreFolder,
} from '../../support/conversationStores.ts';

const settings = { model: 'model', format: 'messages', parameters: {} } as const;

/** Numbers as gateways write them in JSON. */
const oddCounts = ['12.5', '-3', '1e19', '1e300', '1e999', '9007199254740993', '"12"', 'null', '[1]', '{}'];

describe('P16 a chat whose replies have odd figures', () => {
  let folder: StoreFolder;
  let service: ConversationService;
  let conversation: Conversation;
  let saver: ConversationSaver;
  let problems: (string | undefined)[];
  let errors: unknown[];

  beforeEach(() => {
    folder = new StoreFolder();
    problems = [];
    errors = [];
    service = open();
    conversation = new Conversation();
    saver = service.createSaver(conversation, {
      readFacts: () => ({ gateway: 'demo', model: 'model' }),
      onProblem: (problem) => problems.push(problem?.kind),
    });
  });
  afterEach(async () => {
    await service.dispose();
    folder.remove();
  });

  function open(): ConversationService {
    return new ConversationService({
      file: folder.file,
      onNotice: (notice) => assert.fail(notice.type),
      onError: (error) => errors.push(error),
    });
  }

  async function ask(question: string): Promise<Turn> {
    const turn = conversation.addQuestion({ text: question, images: [], ...settings });
    await saver.storeTurns([turn]);
    return turn;
  }

  async function addReply(text: string, result: ReplyResult): Promise<void> {
    const turn = await ask(`${text}?`);
    conversation.appendEvents(turn.id, [{ type: 'text', choice: 0, text }]);
    conversation.finish(turn.id, result);
    await saver.storeResult(turn.id, result);
  }

  /** The texts that a later session shows. */
  async function readStoredReplies(): Promise<readonly string[]> {
    await service.dispose();
    service = open();
    const chat = await service.reopen(saver.id);
    return chat?.conversation.turns.flatMap((turn) => turn.replies.map(replyText)) ?? [];
  }

  async function readSums() {
    return (await service.store()).usage.sum({ by: [] })[0];
  }

  const decodeUsage = (prompt: string): Usage | undefined => {
    const decoder = new ReplyDecoder(new ChatCompletionsDecoder());
    const events: ChatEvent[] = [
      ...decoder.write(
        Buffer.from(
          `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},` +
            `"finish_reason":"stop"}],"usage":{"prompt_tokens":${prompt},"completion_tokens":${prompt}}}`,
        ),
      ),
      ...decoder.flush(),
    ];
    return events.findLast((event) => event.type === 'usage')?.usage;
  };

  for (const count of oddCounts) {
    it(`stores every text, also of later turns, with token counts of ${count}`, async () => {
      const usage = decodeUsage(count);
      await addReply('one', createResult(usage ? { usage } : {}));
      await addReply('two', createResult({ usage: { inputTokens: 5, outputTokens: 7 } }));
      assert.deepEqual([problems, errors], [[], []]);
      assert.deepEqual(await readStoredReplies(), ['one', 'two']);
      const { inputTokens = 0, outputTokens = 0, replies } = (await readSums()) ?? assert.fail();
      assert.equal(replies, 2);
      assert.ok(inputTokens >= 5 && inputTokens < 100 && outputTokens >= 7 && outputTokens < 100);
    });
  }

  it('stores every text with unchecked figures and invalid times', async () => {
    const figures = [12.5, -1, 1e19, 2 ** 53 + 2, Number.NaN, Number.POSITIVE_INFINITY, '7', true, {}];
    for (const [nth, figure] of figures.entries()) {
      const odd = figure as number;
      const usage = { inputTokens: odd, outputTokens: odd, reasoningTokens: odd };
      const cost = { usd: odd, source: 'gateway' } as const;
      await addReply(
        `text ${nth}`,
        createResult({ usage, cost, requestedAt: new Date(Number(figure)), totalMs: odd }),
      );
    }
    assert.deepEqual(
      await readStoredReplies(),
      figures.map((_, nth) => `text ${nth}`),
    );
    const { replies, inputTokens = 0, chargedUsd = 0 } = (await readSums()) ?? assert.fail();
    assert.equal(replies, figures.length);
    assert.ok(inputTokens < 100 && chargedUsd < 100);
  });

  it('sums up the valid values and skips the others', async () => {
    const { database } = await service.store();
    const rows = ['9007199254740993', '9223372036854775807', '-5', '10', 'NULL'];
    for (const [nth, count] of rows.entries()) {
      database.run(
        `INSERT INTO usage (conversation, message, at, day, model, inputTokens, outputTokens, usd, costSource, isCut)
         VALUES ('c', ?, ${count === 'NULL' ? 0 : count}, '2030-01-01', 'm', ${count}, ${count}, ?, 'gateway', 0)`,
        String(nth),
        [1e308, 1e308, -1, 2.5, Number.POSITIVE_INFINITY][nth] ?? null,
      );
    }
    for (const by of [[], ['day'], ['model', 'gateway'], ['initiator']] as const) {
      const [sum] = (await service.store()).usage.sum({ by, from: Number.MIN_SAFE_INTEGER });
      assert.deepEqual([sum?.inputTokens, sum?.chargedUsd], [10, 2.5]);
    }
  });

  it('lists chats and reads their messages even if a time is too large for a number', async () => {
    await addReply('one', createResult());
    const { database } = await service.store();
    database.run('UPDATE conversations SET createdAt = 9007199254740993, pinnedAt = 9223372036854775807');
    database.run('UPDATE messages SET createdAt = 9007199254740995');
    const store = await service.store();
    assert.equal(store.list().conversations.length, 1);
    assert.deepEqual(await readStoredReplies(), ['one']);
  });

  it('stores the text even if the row of its figures is rejected', async () => {
    const { database } = await service.store();
    database.run(
      `CREATE TRIGGER rejectSome BEFORE INSERT ON usage BEGIN SELECT raise(ABORT, 'Rejected.'); END`,
    );
    await addReply('one', createResult());
    assert.deepEqual([problems, await readStoredReplies()], [[], ['one']]);
  });

  it('reports that a message cannot be stored, and stores all later messages', async () => {
    const { database } = await service.store();
    database.run(
      `CREATE TRIGGER rejectSome BEFORE INSERT ON contents WHEN new.choices LIKE '%bad%' BEGIN SELECT raise(ABORT, 'Rejected.'); END`,
    );
    for (const text of ['one', 'bad', 'two', 'three']) await addReply(text, createResult());
    assert.ok(problems.includes('other') && errors.length > 0);
    assert.deepEqual(
      (await readStoredReplies()).filter((text) => text !== 'bad'),
      ['one', 'two', 'three'],
    );
  });

  it('stores all but the rejected message of a chat that is written again', async () => {
    for (const text of ['one', 'bad', 'two', 'three']) await addReply(text, createResult());
    const { database } = await service.store();
    database.run('DELETE FROM conversations');
    database.run('DELETE FROM messages');
    database.run('DELETE FROM contents');
    database.run(
      `CREATE TRIGGER rejectSome BEFORE INSERT ON contents WHEN new.choices LIKE '%"bad"%' BEGIN SELECT raise(ABORT, 'Rejected.'); END`,
    );
    await addReply('four', createResult());
    assert.deepEqual(
      (await readStoredReplies()).filter((text) => text !== ''),
      ['one', 'two', 'three', 'four'],
    );
  });

  it('ends the replies of dead windows even if one of them is rejected', async () => {
    const dead = folder.open('dead');
    const [bad, good] = ['bad', 'good'].map((text) => {
      const chat = dead.create();
      const { reply } = addStoredQuestion(dead, chat, 'Why?');
      dead.append(chat, reply, [createTextEvent(text)]);
      return chat;
    });
    dead.database.run(
      `CREATE TRIGGER rejectSome BEFORE UPDATE ON contents WHEN new.choices LIKE '%"bad"%' BEGIN SELECT raise(ABORT, 'Rejected.'); END`,
    );
    const store = await service.store();
    await assert.rejects(
      store.stopAbandonedReplies(() => false),
      { kind: 'other' },
    );
    assert.deepEqual(
      [bad, good].map((chat) => store.readPath(chat ?? '')[1]?.state),
      ['arriving', 'stopped'],
    );
  });
});
