import assert from 'node:assert/strict';
import type {
  ChatRequestRecord,
  MessageRecord,
  PartRecord,
} from '../../../src/conversations/conversation/conversationRecord.ts';
import { isStoredImage, replyText } from '../../../src/conversations/conversation/reply.ts';
import { isPromptMissing } from '../../../src/conversations/conversation/turn.ts';
import {
  createMessageRecords,
  restoreConversation,
} from '../../../src/conversations/saving/messageRecords.ts';
import { inEnglish } from '../../../src/wire/explanations/explanation.ts';
import { createAttachedBytes, StoreFolder } from '../../support/conversationStores.ts';

const request: ChatRequestRecord = {
  id: 'r',
  model: 'model',
  format: 'messages',
  requestedAt: 1,
  outcome: 'complete',
};

function message(
  id: string,
  role: MessageRecord['role'],
  parent: string | undefined,
  ...parts: readonly (PartRecord | string)[]
): MessageRecord {
  const choice = parts.map((part) =>
    typeof part === 'string' ? ({ type: 'text', text: part } as const) : part,
  );
  return {
    id,
    role,
    createdAt: 1,
    state: 'done',
    choices: [choice],
    ...(parent !== undefined && { parent }),
    ...(role === 'assistant' && { request }),
  };
}

function shown(messages: readonly MessageRecord[], head?: string): readonly string[] {
  const { conversation } = restoreConversation({ messages, head }, createAttachedBytes());
  return conversation.turns.flatMap(({ question, replies: [first] }) => [
    question.text,
    first ? replyText(first) : '',
  ]);
}

describe('a conversation from the store', () => {
  const tree = [
    message('q1', 'user', undefined, 'one?'),
    message('a1', 'assistant', 'q1', 'One.'),
    message('a2', 'assistant', 'q1', 'Uno.'),
    message('q2', 'user', 'a1', 'two?'),
    message('a3', 'assistant', 'q2', 'Two.'),
  ];

  it('marks a reply that the user edited, with or without request data', () => {
    const { request: _, ...edited } = { ...message('a4', 'assistant', 'q1', 'Mine.'), editOf: 'a1' };
    for (const last of [edited, { ...edited, request }]) {
      const { conversation } = restoreConversation(
        { messages: [...tree, last], head: 'a4' },
        createAttachedBytes(),
      );
      const { isEdited, result } = conversation.lastTurn ?? assert.fail();
      assert.deepEqual([isEdited, result?.outcome.kind], [true, 'complete']);
    }
  });

  it('shows the path of its head, and its branches as they were left', () => {
    assert.deepEqual(shown(tree, 'a3'), ['one?', 'One.', 'two?', 'Two.']);
    const { conversation } = restoreConversation({ messages: tree, head: 'a2' }, createAttachedBytes());
    assert.deepEqual(
      conversation.turns.map(({ id }) => id),
      ['a2'],
    );
    conversation.show('a1');
    assert.deepEqual(
      conversation.turns.map(({ id }) => id),
      ['a1', 'a3'],
    );
    assert.equal(conversation.turns[0]?.question.format, 'messages');
  });

  it('shows consecutive replies as one, and no system and tool messages', () => {
    const messages = [
      message('s', 'system', undefined, 'Be brief.'),
      message('q', 'user', 's', 'one?'),
      message('a', 'assistant', 'q', 'Let me see. '),
      message('t', 'tool', 'a', '42'),
      message('b', 'assistant', 't', 'It is 42.'),
    ];
    assert.deepEqual(shown(messages, 'b'), ['one?', 'Let me see. It is 42.']);
  });

  it('adds placeholders for missing replies and missing questions', () => {
    const messages = [
      message('hello', 'assistant', undefined, 'How can I help?'),
      message('q1', 'user', 'hello', 'one?'),
      message('q2', 'user', 'q1', 'one, please?'),
    ];
    assert.deepEqual(shown(messages, 'q2'), ['', 'How can I help?', 'one?', '', 'one, please?', '']);
    const { placeholderIds } = restoreConversation({ messages, head: 'q2' }, createAttachedBytes());
    assert.deepEqual([...placeholderIds], ['hello-', 'q1+', 'q2+']);
  });

  it('shows a reply as cancelled if its window ended, and preserves the failure of a failed reply', () => {
    const { outcome: _, ...open } = request;
    const failed: ChatRequestRecord = {
      ...request,
      outcome: 'failed',
      error: { kind: 'quota', status: 402, gatewayMessage: 'pay', explanation: { id: 'nonsense' } },
    };
    const messages = [
      message('q', 'user', undefined, 'one?'),
      { ...message('a', 'assistant', 'q', 'Hal'), state: 'stopped', request: open } as const,
      { ...message('b', 'assistant', 'q'), request: failed },
    ];
    const { conversation } = restoreConversation({ messages, head: 'b' }, createAttachedBytes());
    assert.equal(conversation.turn('a')?.result?.outcome.kind, 'cancelled');
    const outcome = conversation.turn('b')?.result?.outcome;
    assert.ok(outcome?.kind === 'failed');
    assert.deepEqual([outcome.error.kind, outcome.error.status], ['quota', 402]);
    assert.match(outcome.error.message, /failed/);
  });

  it('has its existing pictures, and lists the missing ones', () => {
    const picture = (hash: string): PartRecord => ({ type: 'image', mimeType: 'image/png', hash });
    const messages = [message('q', 'user', undefined, 'what?', picture('here'), picture('gone'))];
    const { conversation } = restoreConversation(
      { messages, head: 'q' },
      createAttachedBytes(new Map([['here', 'AAAA']])),
    );
    assert.deepEqual(conversation.turns[0]?.question.images, [
      { type: 'image', mimeType: 'image/png', hash: 'here', data: 'AAAA' },
    ]);
    assert.deepEqual(conversation.turns[0]?.question.missing, [picture('gone')]);
  });

  it('P9 reads a picture when a request or the page needs it, not when the chat opens', () => {
    const messages = [
      message('q', 'user', undefined, 'what?', { type: 'image', mimeType: 'image/png', hash: 'h' }),
    ];
    const read: string[] = [];
    const bytes = {
      has: () => true,
      readText: () => '',
      readPicture: (hash: string) => `${read.push(hash)}`,
    };
    const { conversation } = restoreConversation({ messages, head: 'q' }, bytes);
    const turn = conversation.turns[0];
    assert.ok(turn && conversation.hasPicture('h') && !conversation.hasPicture('other'));
    assert.ok(turn.question.images.every(isStoredImage));
    assert.deepEqual(read, []);
    assert.ok(JSON.stringify(conversation.buildHistory(turn.id)).includes('"data":"1"'));
    assert.deepEqual(read, ['h']);
  });

  it('lists missing pictures of a reply in the chat, in requests and when it is stored again', async () => {
    const picture: PartRecord = { type: 'image', mimeType: 'image/png', hash: 'gone' };
    const messages = [
      message('q', 'user', undefined, 'Draw.'),
      message('a', 'assistant', 'q', 'Here:', picture),
      message('again', 'assistant', 'q', picture),
    ];
    const { conversation } = restoreConversation({ messages, head: 'a' }, createAttachedBytes());
    assert.deepEqual(conversation.turns[0]?.replies[0]?.missing, [picture]);
    const settings = { model: 'm', format: 'messages', parameters: {} } as const;
    const { omitted } = conversation.buildHistoryForNext({ text: 'Bigger.', images: [], ...settings });
    assert.deepEqual(
      omitted.map(({ id }) => id),
      ['omitted-missing-picture'],
    );
    const folder = new StoreFolder();
    const store = folder.open();
    const records = await createMessageRecords(conversation, new Set(), store.attachments, 1);
    assert.deepEqual(records[1]?.choices[0]?.at(-1), picture);
    store.close();
    folder.remove();
    // Asking again does not replace the reply as if it were empty.
    conversation.show('again');
    conversation.repeatQuestion('again', settings);
    assert.ok(conversation.reply('again'));
  });

  it('lists attachments that an import lacked, and sends a note in place of an empty question', () => {
    const missing: PartRecord = { type: 'other', value: { missing: 'attachment', name: 'plan.pdf' } };
    const messages = [
      message('q', 'user', undefined, '', missing),
      message('a', 'assistant', 'q', 'A fine plan.'),
    ];
    const { conversation } = restoreConversation({ messages, head: 'a' }, createAttachedBytes());
    const question = conversation.turns[0]?.question;
    assert.deepEqual(question?.missing, [missing]);
    assert.ok(question && isPromptMissing(question));
    const next = { text: 'Why?', images: [], model: 'm', format: 'messages', parameters: {} } as const;
    const { messages: sent, omitted } = conversation.buildHistoryForNext(next);
    assert.deepEqual(sent[0]?.parts, [{ type: 'text', text: '(The attachment is no longer available.)' }]);
    assert.deepEqual(omitted.map(inEnglish), ['“plan.pdf”, which was not part of the import']);
  });
});
