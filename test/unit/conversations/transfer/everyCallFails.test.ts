import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../../src/conversations/store/conversationStore.ts';
import {
  type ImportEnd,
  type ImportedChat,
  importFiles,
} from '../../../../src/conversations/transfer/importFiles.ts';
import { addExchange, readShownTexts } from '../../../support/conversationStores.ts';
import { testEveryCall } from '../../../support/everyCall.ts';

const count = 4;
/** The second file holds the conversations of the first one, and others. */
const names = ['first.json', 'second.json'] as const;

/** An export of ShareGPT. */
function createExport(numbers: readonly number[]): string {
  const all = numbers.map((nth) => ({
    id: `chat-${nth}`,
    conversations: [
      { from: 'human', value: `Why number ${nth}?` },
      { from: 'gpt', value: 'Because. '.repeat(500) },
    ],
  }));
  return JSON.stringify(all);
}

interface Import {
  readonly end: ImportEnd;
  readonly chats: readonly ImportedChat[];
}

describe('an import of conversations', () => {
  let imported: Import | undefined;

  const open = (folder: string, window: string) =>
    openConversationStore({ file: join(folder, 'conversations.sqlite'), window });

  function prepare(folder: string): void {
    const store = open(folder, 'earlier');
    store.create({ id: 'earlier' });
    addExchange(store, 'earlier', 'Earlier?', 'Earlier.');
    store.close();
    writeFileSync(join(folder, names[0]), createExport([0, 1]));
    writeFileSync(join(folder, names[1]), createExport([1, 2, 3]));
    imported = undefined;
  }

  async function importInto(store: ConversationStore, folder: string): Promise<Import> {
    const chats: ImportedChat[] = [];
    const paths = names.map((name) => join(folder, name));
    const end = await importFiles(store, paths, {
      signal: new AbortController().signal,
      reportProgress: (progress) => void chats.push(...progress.chats),
    });
    return { end, chats };
  }

  async function flow(folder: string): Promise<void> {
    const store = open(folder, 'worker');
    try {
      imported = await importInto(store, folder);
    } finally {
      store.close();
    }
  }

  /** The first questions of the imported conversations. Each has both messages. */
  function importedIn(store: ConversationStore): readonly string[] {
    const ids = store.listIds().filter((id) => id !== 'earlier');
    return ids
      .map((id) => {
        const [question, reply, ...others] = readShownTexts(store, id);
        assert.deepEqual([reply, others.length], ['Because. '.repeat(500), 0]);
        return question ?? '';
      })
      .toSorted();
  }

  const all = Array.from({ length: count }, (_, nth) => `Why number ${nth}?`);

  async function check(folder: string): Promise<void> {
    const store = open(folder, 'next');
    try {
      const { readOnly, setAside } = store.database;
      assert.deepEqual([readOnly, setAside], [undefined, undefined]);
      store.database.check();
      assert.deepEqual(readShownTexts(store, 'earlier'), ['Earlier?', 'Earlier.']);
      const stored = importedIn(store);
      assertReported(stored);
      const again = await importInto(store, folder);
      assert.equal(again.end.kind, 'complete');
      assert.deepEqual(importedIn(store), all);
      const added = again.chats.filter(({ kind }) => kind === 'new').length;
      assert.equal(added, count - stored.length, 'the stored messages are complete');
    } finally {
      store.close();
    }
  }

  function assertReported(stored: readonly string[]): void {
    // The error of the whole import is reported instead.
    if (!imported) return;
    const { end, chats } = imported;
    for (const { kind, title = '' } of chats) if (kind === 'new') assert.ok(stored.includes(title), title);
    const reportsLoss = end.kind === 'refused' || chats.some(({ kind }) => kind === 'skipped');
    if (!reportsLoss) assert.deepEqual(stored, all);
    for (const { kind, notes } of chats) if (kind === 'skipped') assert.ok(notes.length > 0);
  }

  testEveryCall({ prepare, flow, check }, { atLeast: 380 });
});
