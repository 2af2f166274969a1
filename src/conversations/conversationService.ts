import { Emitter } from '../base/emitter.ts';
import { sniffMedia } from '../base/mediaType.ts';
import type { StorageNotice } from '../storage/followHealth.ts';
import { onceRepaired, whenFree } from '../storage/whenFree.ts';
import type { Conversation } from './conversation/conversation.ts';
import type { ConversationRecord } from './conversation/record.ts';
import type { Image } from './conversation/reply.ts';
import type { KeptDraft } from './conversation/turn.ts';
import { ConversationKeeper } from './kept/conversationKeeper.ts';
import type { KeeperOptions, KeptBefore } from './kept/keeperOptions.ts';
import { conversationFrom } from './kept/messageRecords.ts';
import { findAttachments, readMessages, readPictures } from './kept/storedMessages.ts';
import type { ConversationStore } from './store/conversationStore.ts';
import type { ChangedConversations } from './store/storeChanges.ts';
import type { StoreRuntime } from './storeRuntime.ts';
import type { ConversationWorker } from './worker/conversationWorker.ts';

export interface ConversationServiceOptions {
  /** Path of the file of conversations. */
  readonly file: string;
  /** Does with the file what would keep this thread waiting. */
  readonly worker?: Pick<ConversationWorker, 'ask'>;
  /** Called with what the user must know about the file. */
  readonly onNotice: (notice: StorageNotice) => void;
  /** Called with what went wrong in the background. */
  readonly onError: (error: unknown) => void;
}

/** What a chat tells its keeper, and learns from it. */
export type KeepingLinks = Pick<KeeperOptions, 'facts' | 'onProblem' | 'onStored'>;

/** A conversation of an earlier session or another window. */
export interface ReopenedChat {
  readonly record: ConversationRecord;
  readonly conversation: Conversation;
  /** What was typed and not sent. */
  readonly unsent: KeptDraft;
  /** Keeps what comes. */
  readonly keep: (links: KeepingLinks) => ConversationKeeper;
}

/** The conversations that are kept. Their file opens when it is first needed. */
export class ConversationService {
  readonly #options: ConversationServiceOptions;
  readonly #onDidChange = new Emitter<ChangedConversations>();
  /** Fires for what any window changed, while the file is open here. */
  readonly onDidChange = this.#onDidChange.event;
  readonly #onDidOpen = new Emitter();
  /** Fires once the file is open. */
  readonly onDidOpen = this.#onDidOpen.event;
  #opening: Promise<StoreRuntime> | undefined;
  #runtime: StoreRuntime | undefined;
  readonly #keepers = new Set<ConversationKeeper>();
  #isClosed = false;

  constructor(options: ConversationServiceOptions) {
    this.#options = options;
  }

  /** The path of the file. */
  get file(): string {
    return this.#options.file;
  }

  /**
   * Opens the store, unless it is open. A failed attempt is repeated by the next call.
   *
   * @throws {StorageError} when conversations cannot be kept here
   */
  async store(): Promise<ConversationStore> {
    this.#opening ??= this.#open().catch((error) => {
      this.#opening = undefined;
      throw error;
    });
    const runtime = await this.#opening;
    await runtime.repaired();
    return runtime.store;
  }

  /**
   * Changes the store, once others do not write to it; what is durable is so then.
   *
   * @param change runs once more where others write, after which nothing of it may be counted
   * @throws {StorageError} when it cannot be changed
   */
  async change<Result>(change: (store: ConversationStore) => Result): Promise<Result> {
    return onceRepaired(async () => {
      const store = await this.store();
      const result = await whenFree(() => change(store));
      await store.flush();
      return result;
    });
  }

  /** Keeps a conversation from now on. */
  keep(conversation: Conversation, links: KeepingLinks): ConversationKeeper {
    return this.#keeper(conversation, links);
  }

  /**
   * Brings a conversation back as it was left.
   *
   * @returns undefined when there is none
   * @throws {StorageError} when it cannot be read
   */
  reopen(id: string): Promise<ReopenedChat | undefined> {
    return onceRepaired(() => this.#reopen(id));
  }

  async #reopen(id: string): Promise<ReopenedChat | undefined> {
    const store = await this.store();
    const record = store.get(id);
    if (!record) return undefined;
    const messages = await readMessages(store, id);
    const bytes = await findAttachments(store, messages);
    const { conversation, filled } = conversationFrom({ ...record, messages }, bytes);
    const before = { id, messages: new Set(messages.map((message) => message.id)), filled };
    const keep = (links: KeepingLinks) => this.#keeper(conversation, links, before);
    return { record, conversation, keep, unsent: await readDraft(store, id) };
  }

  /** A picture by the hash of its bytes, as base64; undefined when it is gone. */
  async picture(hash: string): Promise<string | undefined> {
    return (await readPictures(await this.store(), [hash])).get(hash);
  }

  /** Keeps what is left of the chats, and closes the file. */
  async dispose(): Promise<void> {
    this.#isClosed = true;
    this.#runtime?.beginToClose();
    await Promise.all([...this.#keepers].map((keeper) => keeper.close()));
    await (await this.#opening?.catch(() => undefined))?.close();
  }

  #keeper(conversation: Conversation, links: KeepingLinks, before?: KeptBefore): ConversationKeeper {
    const keeper = new ConversationKeeper(
      conversation,
      {
        ...{ ...links, onError: this.#options.onError, store: () => this.store() },
        worker: this.#options.worker,
        onClosed: () => this.#keepers.delete(keeper),
      },
      before,
    );
    this.#keepers.add(keeper);
    return keeper;
  }

  /** A chat that was closed writes what was left of it, while it is open again. */
  #tellReopened(changed: readonly string[]): void {
    for (const id of changed) {
      const keepers = [...this.#keepers].filter((keeper) => keeper.id === id);
      if (keepers.length > 1) for (const keeper of keepers) keeper.stored();
    }
  }

  async #open(): Promise<StoreRuntime> {
    const { openStoreRuntime } = await import('./storeRuntime.ts');
    const runtime = await openStoreRuntime(this.#options, () => this.#isClosed);
    const { store } = runtime;
    this.#runtime = runtime;
    store.onDidChangeElsewhere((changed) => {
      for (const keeper of this.#keepers) {
        if (!changed) keeper.replaced();
        else if (changed.includes(keeper.id)) keeper.stored();
      }
    });
    store.onDidChange((changed) => {
      this.#tellReopened(changed ?? []);
      this.#onDidChange.fire(changed);
    });
    this.#onDidOpen.fire();
    return runtime;
  }
}

async function readDraft(store: ConversationStore, id: string): Promise<KeptDraft> {
  const draft = store.drafts.read(id);
  const hashes = draft?.attachments ?? [];
  const pictures = await readPictures(store, hashes);
  const images: Image[] = [];
  const gone: string[] = [];
  for (const hash of hashes) {
    const image = pictureOf(pictures.get(hash));
    if (image) images.push(image);
    else gone.push(hash);
  }
  return {
    ...{ text: draft?.text ?? '', images },
    ...(gone.length > 0 && { gone }),
    ...(draft?.context && { context: draft.context }),
    ...(draft?.models && { models: draft.models }),
  };
}

/** @param data as base64; undefined where it is gone */
function pictureOf(data = ''): Image | undefined {
  const type = sniffMedia(Buffer.from(data.slice(0, 128), 'base64'));
  return type?.kind === 'image' ? { type: 'image', mimeType: type.mimeType, data } : undefined;
}
