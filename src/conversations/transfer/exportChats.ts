import { markdownDocument, markdownFile } from '../formats/markdown/markdownExport.ts';
import type { MarkdownWords } from '../formats/markdown/markdownWords.ts';
import { exportConversations } from '../formats/own/ownExport.ts';
import type { Attachment, PortableConversation } from '../formats/portableConversation.ts';
import type { MessageRecord } from '../record.ts';
import type { ConversationStore } from '../store/conversationStore.ts';
import { replaceFile } from './replaceFile.ts';

export interface Export {
  /** The path of the file. What is there stays until the new file is complete. */
  readonly file: string;
  /** The ids of conversations; all of them without. */
  readonly chats?: readonly string[];
  /** `jsonl`: whole trees with their attachments. `markdown`: the path that is shown, of one conversation. */
  readonly format: ExportFormat;
}

export type ExportFormat = 'jsonl' | 'markdown';

/** How far an export is, in conversations. */
export interface ExportProgress {
  readonly done: number;
  readonly total: number;
}

/** What is in the file. */
export interface Exported {
  readonly chats: number;
  /** How many attachments are left out because their bytes are gone. */
  readonly missingAttachments: number;
}

export interface Exporting {
  readonly signal: AbortSignal;
  readonly tell: (progress: ExportProgress) => void;
  /** Called after each conversation, so that the thread can do other things. */
  readonly pause: () => Promise<void>;
}

/** The words of a Markdown document, as one thread tells them to another. */
export interface DocumentWords extends Omit<MarkdownWords, 'onlyPath'> {
  /** With `{count}` where the number of messages on other branches stands. */
  readonly onlyPath: string;
}

/**
 * Writes conversations into a file. Of all conversations, the same ones give the same bytes in any store.
 *
 * @throws the reason of the signal when it is aborted
 * @throws {StorageError} when a conversation cannot be read, or the file not be written
 */
export async function exportChats(
  store: ConversationStore,
  { file, chats = store.ids(), format }: Export,
  { signal, tell, pause }: Exporting,
): Promise<Exported> {
  const exported = { chats: 0, missingAttachments: 0 };
  async function* wanted(): AsyncGenerator<PortableConversation> {
    for (const [done, id] of chats.entries()) {
      tell({ done, total: chats.length });
      const read = await readPortable(store, id);
      if (read) {
        exported.chats += 1;
        exported.missingAttachments += read.missing;
        yield read.whole;
      }
      await pause();
    }
  }
  const bytes = format === 'jsonl' ? exportConversations(wanted(), { signal }) : markdownBytes(wanted());
  await replaceFile(file, bytes, signal);
  return exported;
}

/** A conversation as a Markdown document; undefined when there is none. */
export function chatDocument(
  store: ConversationStore,
  chat: string,
  { onlyPath, ...words }: DocumentWords,
): string | undefined {
  const whole = store.whole(chat);
  if (!whole || whole.conversation.deletedAt !== undefined) return undefined;
  const counted = (others: number) => onlyPath.replace('{count}', String(others));
  return markdownDocument({ ...whole, attachments: [] }, { words: { ...words, onlyPath: counted } });
}

async function* markdownBytes(chats: AsyncIterable<PortableConversation>): AsyncGenerator<Uint8Array> {
  for await (const chat of chats) yield Buffer.from(markdownFile(chat));
}

/** A conversation for an export. */
interface ReadConversation {
  readonly whole: PortableConversation;
  /** How many attachments it names whose bytes are gone. */
  readonly missing: number;
}

/**
 * Reads a conversation with the bytes of its attachments.
 *
 * @returns undefined when there is none, or it is deleted
 */
export async function readPortable(
  store: ConversationStore,
  id: string,
): Promise<ReadConversation | undefined> {
  const whole = store.whole(id);
  if (!whole || whole.conversation.deletedAt !== undefined) return undefined;
  const hashes = hashesOf(whole.messages);
  const attachments: Attachment[] = [];
  for (const hash of hashes) {
    const bytes = await store.attachments.read(hash);
    if (bytes) attachments.push({ hash, bytes });
  }
  return { whole: { ...whole, attachments }, missing: hashes.size - attachments.length };
}

function hashesOf(messages: readonly MessageRecord[]): ReadonlySet<string> {
  const parts = messages.flatMap(({ choices }) => choices.flat());
  return new Set(parts.flatMap((part) => ('hash' in part ? [part.hash] : [])));
}
