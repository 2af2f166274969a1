import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Conversation } from '../../../../src/conversations/conversation/conversation.ts';
import type { ReplySettings, Turn } from '../../../../src/conversations/conversation/turn.ts';
import { ConversationService } from '../../../../src/conversations/conversationService.ts';
import type { ConversationSaver } from '../../../../src/conversations/saving/conversationSaver.ts';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import { exportChats } from '../../../../src/conversations/transfer/exportChats.ts';
import { importFiles } from '../../../../src/conversations/transfer/importFiles.ts';
import type { ChatEvent } from '../../../../src/wire/chatEvent.ts';
import { createResult, StoreFolder } from '../../../support/conversationStores.ts';
import { DatabaseFolder } from '../../../support/databaseFolder.ts';

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const image = { type: 'image', mimeType: 'image/png', data: pixel } as const;
const settings: ReplySettings = {
  model: 'chat-1',
  format: 'responses',
  systemPrompt: 'Be brief.',
  parameters: { text: { format: { type: 'json_schema', schema: { type: 'object' } } }, temperature: 0.5 },
};
const reply: readonly ChatEvent[] = [
  { type: 'reasoning', choice: 0, text: 'Hm.', signature: 'opaque==' },
  { type: 'toolCall', choice: 0, index: 0, id: 'call', name: 'look', arguments: '{"a":1}' },
  { type: 'text', choice: 0, text: '{"answer": 42}' },
  { type: 'text', choice: 1, text: '{"answer": 43}' },
  { type: 'media', choice: 0, mimeType: 'image/png', data: pixel },
  { type: 'refusal', choice: 1, text: 'No more.' },
  { type: 'citation', choice: 0, url: 'https://example.com/', title: 'Example' },
];

describe('exported chats of this program', () => {
  it('have the same bytes after an import on another machine, with all kinds of content', async () => {
    const [here, there, files] = [new StoreFolder(), new StoreFolder(), new DatabaseFolder()];
    const service = new ConversationService({
      file: here.file,
      onNotice: (notice) => assert.fail(notice.type),
      onError: assert.ifError,
    });
    try {
      const store = await service.store();
      await storeAllKinds(service);
      const first = await exportText(store, files.file('first.jsonl'));
      const other = there.open();
      const { signal } = new AbortController();
      await importFiles(other, [files.file('first.jsonl')], { signal, reportProgress: () => undefined });
      assert.equal(await exportText(other, files.file('second.jsonl')), first);
      for (const word of [
        'opaque==',
        'call',
        'No more.',
        'https://example.com/',
        'a.ts',
        'priority',
        'json_schema',
      ]) {
        assert.ok(first.includes(word), word);
      }
    } finally {
      await service.dispose();
      for (const each of [here, there, files]) each.remove();
    }
  });
});

async function exportText(store: ConversationStore, file: string): Promise<string> {
  const { signal } = new AbortController();
  await exportChats(
    store,
    { file, format: 'jsonl' },
    { signal, reportProgress: () => undefined, pause: async () => undefined },
  );
  return readFileSync(file, 'utf8');
}

/** Stores a chat with branches that contain everything a reply and a question may have. */
async function storeAllKinds(service: ConversationService): Promise<void> {
  const conversation = new Conversation();
  const saver = service.createSaver(conversation, {
    readFacts: () => ({ workspace: 'file:///w', gateway: 'demo', gatewayName: 'Demo', model: 'chat-1' }),
    onProblem: () => undefined,
  });
  const files = [{ name: 'a.ts', language: 'typescript', text: 'const a = 1;\n' }];
  const prompt = { text: 'What is it?', images: [image], files };
  const compared = conversation.comparison.addQuestion(
    prompt,
    [settings, { ...settings, model: 'chat-2' }],
    undefined,
  );
  await addReply(conversation, saver, compared);
  const [first] = compared;
  const cut = conversation.continueReply(first?.id ?? '', settings);
  await addReply(conversation, saver, cut ? [cut] : []);
  const again = conversation.repeatQuestion(first?.id ?? '', { ...settings, model: 'chat-3' });
  await addReply(conversation, saver, again ? [again] : []);
  const edited = conversation.editReply(again?.id ?? '', 'Mine.');
  await saver.storeEdit(conversation.reply(edited?.id ?? '') ?? assert.fail(), again?.id ?? '');
  await saver.close();
}

async function addReply(
  conversation: Conversation,
  saver: ConversationSaver,
  turns: readonly Turn[],
): Promise<void> {
  await saver.storeTurns(turns);
  for (const { id } of turns) {
    conversation.appendEvents(id, reply);
    const result = createResult({
      usage: { inputTokens: 3, outputTokens: 5, reasoningTokens: 1, cachedTokens: 2, cacheWriteTokens: 1 },
      cost: { usd: 0.25, source: 'gateway' },
      serviceTier: 'priority',
      model: 'chat-1-2030',
      id: 'reply',
      firstTokenMs: 4,
      endReason: 'length',
      finishReason: 'max_tokens',
      gatewayRequestId: 'theirs',
    });
    conversation.finish(id, result);
    await saver.storeResult(id, result);
  }
}
