import { Emitter } from '../base/emitter.ts';
import { sniffMedia } from '../base/mediaType.ts';
import { retryAfterRepair, retryWhileBusy } from '../storage/retryWhileBusy.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { ConversationRecord } from './conversation/conversationRecord.ts';
import type { Image } from './conversation/reply.ts';
import type { RestoredDraft } from './conversation/turn.ts';
import { ConversationSaver } from './saving/conversationSaver.ts';
import { restoreConversation } from './saving/messageRecords.ts';
import type { SaverOptions, StoredConversationState } from './saving/saverOptions.ts';
import { findAttachments, readAllMessages, readPictures } from './saving/storedMessages.ts';
import type { ConversationStore } from './store/conversationStore.ts';
import type { ChangedConversations } from './store/storeChanges.ts';
import type { StoreRuntime, StoreRuntimeOptions } from './storeRuntime.ts';

/** The callbacks that a chat passes to its saver. */
export type SaverCallbacks = Pick<SaverOptions, 'readFacts' | 'onProblem' | 'onExternalChange'>;

/** A conversation of an earlier session or another window. */
export interface ReopenedChat {
  readonly record: ConversationRecord;
  readonly conversation: Conversation;
  readonly draft: RestoredDraft;
  /** Stores further messages. */
  readonly createSaver: (callbacks: SaverCallbacks) => ConversationSaver;
}

/** The stored conversations. Their file is opened on first use. */
export class ConversationService {
  readonly #options: StoreRuntimeOptions;
  readonly #onDidChange = new Emitter<ChangedConversations>();
  /** Fires for changes by any window, while the file is open here. */
  readonly onDidChange = this.#onDidChange.event;
  #opening: Promise<StoreRuntime> | undefined;
  #runtime: StoreRuntime | undefined;
  readonly #savers = new Set<ConversationSaver>();
  #isClosed = false;

  constructor(options: StoreRuntimeOptions) {
    this.#options = options;
  }

  /** The path of the database file. */
  get file(): string {
    return this.#options.file;
  }

  /**
   * Opens the store, unless it is open. After a failure, the next call tries again.
   *
   * @throws {StorageError} if conversations cannot be stored here
   */
  async store(): Promise<ConversationStore> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    const runtime = await this.#opening;
    await runtime.waitForRepair();
    return runtime.store;
  }

  /**
   * Changes the store once other windows do not write to it. When the promise resolves, changes by the store's
   * durable methods are on the disk.
   *
   * @param change runs again if other windows write or the file is repaired, so it must change only the store
   * @throws {StorageError} if the store cannot be changed
   */
  async change<Result>(change: (store: ConversationStore) => Result): Promise<Result> {
    return retryAfterRepair(async () => {
      const store = await this.store();
      const result = await retryWhileBusy(() => change(store));
      await store.flush();
      return result;
    });
  }

  /**
   * Starts to store a conversation.
   *
   * @param stored the conversation's state in the store; absent for a new conversation
   */
  createSaver(
    conversation: Conversation,
    callbacks: SaverCallbacks,
    stored?: StoredConversationState,
  ): ConversationSaver {
    const saver = new ConversationSaver(
      conversation,
      {
        ...callbacks,
        onError: this.#options.onError,
        openStore: () => this.store(),
        worker: this.#options.worker,
        onClosed: () => this.#savers.delete(saver),
      },
      stored,
    );
    this.#savers.add(saver);
    return saver;
  }

  /**
   * Restores a conversation.
   *
   * @returns undefined if there is no such conversation
   * @throws {StorageError} if it cannot be read
   */
  reopen(id: string): Promise<ReopenedChat | undefined> {
    return retryAfterRepair(() => this.#reopen(id));
  }

  async #reopen(id: string): Promise<ReopenedChat | undefined> {
    const store = await this.store();
    const record = store.get(id);
    if (!record) return undefined;
    const messages = await readAllMessages(store, id);
    const bytes = await findAttachments(store, messages);
    const { conversation, placeholderIds } = restoreConversation({ ...record, messages }, bytes);
    const ids = new Set(messages.map((message) => message.id));
    const stored: StoredConversationState = { id, messages: ids, placeholderIds };
    return {
      record,
      conversation,
      draft: await readDraft(store, id),
      createSaver: (callbacks) => this.createSaver(conversation, callbacks, stored),
    };
  }

  /** Reads a picture by the hash of its bytes, as base64; undefined if it is missing. */
  async readPicture(hash: string): Promise<string | undefined> {
    return (await readPictures(await this.store(), [hash])).get(hash);
  }

  /** Writes the remaining changes of all chats, and closes the file. */
  async dispose(): Promise<void> {
    this.#isClosed = true;
    this.#runtime?.beginToClose();
    await Promise.all([...this.#savers].map((saver) => saver.close()));
    await (await this.#opening?.catch(() => undefined))?.close();
  }

  /** A closed chat may still write its remaining changes after another saver has opened it again. */
  #notifyReopened(changed: readonly string[]): void {
    for (const id of changed) {
      const savers = [...this.#savers].filter((saver) => saver.id === id);
      if (savers.length > 1) for (const saver of savers) saver.notifyExternalChange();
    }
  }

  async #open(): Promise<StoreRuntime> {
    const { openStoreRuntime } = await import('./storeRuntime.ts');
    const runtime = await openStoreRuntime(this.#options, () => this.#isClosed);
    const { store } = runtime;
    this.#runtime = runtime;
    store.onDidChangeExternally((changed) => {
      for (const saver of this.#savers) {
        if (!changed) saver.handleReplacedFile();
        else if (changed.includes(saver.id)) saver.notifyExternalChange();
      }
    });
    store.onDidChange((changed) => {
      this.#notifyReopened(changed ?? []);
      this.#onDidChange.fire(changed);
    });
    return runtime;
  }
}

async function readDraft(store: ConversationStore, id: string): Promise<RestoredDraft> {
  const draft = store.drafts.read(id);
  const hashes = draft?.attachments ?? [];
  const pictures = await readPictures(store, hashes);
  const images: Image[] = [];
  const missingPictures: string[] = [];
  for (const hash of hashes) {
    const image = createImage(pictures.get(hash));
    if (image) images.push(image);
    else missingPictures.push(hash);
  }
  return {
    text: draft?.text ?? '',
    images,
    ...(missingPictures.length > 0 && { missingPictures }),
    ...(draft?.context && { context: draft.context }),
    ...(draft?.models && { models: draft.models }),
  };
}

/** @param data as base64; undefined if the picture is missing */
function createImage(data = ''): Image | undefined {
  const type = sniffMedia(Buffer.from(data.slice(0, 128), 'base64'));
  return type?.kind === 'image' ? { type: 'image', mimeType: type.mimeType, data } : undefined;
}
