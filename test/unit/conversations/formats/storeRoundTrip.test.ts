import assert from 'node:assert/strict';
import fc from 'fast-check';
import type {
  MessageRecord,
  PortableConversation,
} from '../../../../src/conversations/conversation/conversationRecord.ts';
import { exportConversations } from '../../../../src/conversations/formats/own/ownExport.ts';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import { anyConversation } from '../../../support/anyConversation.ts';
import { StoreFolder } from '../../../support/conversationStores.ts';
import { importAll, readFixture } from '../../../support/importedConversations.ts';
import { countRepetitions } from '../../../support/longRuns.ts';

const fixtures = [
  'chatgpt.json',
  'claude.json',
  'open-webui.json',
  'librechat.json',
  'vscode.json',
  'vscode.jsonl',
  'sharegpt.json',
  'other.md',
];

/** @returns the result of each import */
async function importInto(store: ConversationStore, conversations: readonly PortableConversation[]) {
  const kinds: string[] = [];
  for (const imported of conversations) {
    for (const { bytes } of imported.attachments) await store.attachments.add(bytes);
    kinds.push((await store.import(imported)).kind);
  }
  return kinds;
}

async function exportBytes(store: ConversationStore, ids: readonly string[]): Promise<Buffer> {
  async function* all(): AsyncGenerator<PortableConversation> {
    for (const id of ids) {
      const conversation = store.getWithMessages(id);
      if (conversation)
        yield { ...conversation, attachments: await readAttachments(store, conversation.messages) };
    }
  }
  const chunks: Uint8Array[] = [];
  for await (const chunk of exportConversations(all())) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function readAttachments(store: ConversationStore, messages: readonly MessageRecord[]) {
  const parts = messages.flatMap(({ choices }) => choices.flat());
  const hashes = new Set(parts.flatMap((part) => ('hash' in part ? [part.hash] : [])));
  const found = [...hashes].map(async (hash) => ({ hash, bytes: await store.attachments.read(hash) }));
  return (await Promise.all(found)).flatMap(({ hash, bytes }) => (bytes ? [{ hash, bytes }] : []));
}

describe('an import into a store', () => {
  let folders: StoreFolder[] = [];

  function emptyStore(): ConversationStore {
    const folder = new StoreFolder();
    folders.push(folder);
    return folder.open();
  }

  afterEach(() => {
    for (const folder of folders) folder.remove();
    folders = [];
  });

  async function assertSameBytes(conversations: readonly PortableConversation[]): Promise<void> {
    const [first, second] = [emptyStore(), emptyStore()];
    await importInto(first, conversations);
    const ids = conversations.map(({ conversation }) => conversation.id);
    const bytes = await exportBytes(first, ids);
    const back = await importAll(bytes);
    assert.deepEqual(back.problems, []);
    assert.deepEqual(
      new Set(await importInto(second, back.conversations)),
      new Set(ids.length > 0 ? ['new'] : []),
    );
    const again = await exportBytes(second, ids);
    assert.equal(again.toString(), bytes.toString());
    assert.deepEqual(
      new Set(await importInto(second, back.conversations)),
      new Set(ids.length > 0 ? ['known'] : []),
    );
  }

  it('restores the exported conversations of every program', async () => {
    const all = await Promise.all(fixtures.map((name) => importAll(readFixture(name))));
    await assertSameBytes(all.flatMap(({ conversations }) => conversations));
  });

  it('restores any exported conversations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyConversation, { maxLength: 3 }), async (conversations) => {
        const distinct = new Map(
          conversations.map((each) => {
            const { origin: _, ...conversation } = each.conversation;
            return [conversation.id, { ...each, conversation }];
          }),
        );
        await assertSameBytes([...distinct.values()]);
      }),
      { numRuns: countRepetitions(200) },
    );
  }).timeout(60_000);

  it('adds only the later messages when a file is imported again', async () => {
    const store = emptyStore();
    const file = readFixture('open-webui.json').toString();
    const once = await importAll(file);
    assert.deepEqual(await importInto(store, once.conversations), ['new']);
    assert.deepEqual(await importInto(store, (await importAll(file)).conversations), ['known']);
    const grown = await importAll(
      file.replace(
        '"content": "Ye" }',
        '"content": "Ye", "childrenIds": [] }, "q9": { "id": "q9", "parentId": "a3", "role": "user", "content": "New" }',
      ),
    );
    assert.deepEqual(await importInto(store, grown.conversations), ['extended']);
    assert.equal(store.getWithMessages(once.conversations[0]?.conversation.id ?? '')?.messages.length, 6);
  });
});
