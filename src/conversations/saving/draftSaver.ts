import type { Clock } from '../../base/node/clock.ts';
import { Throttle } from '../../base/throttle.ts';
import type { Image } from '../conversation/reply.ts';
import type { UnsentPrompt } from '../conversation/turn.ts';
import type { ConversationStore } from '../store/conversationStore.ts';

/** How long a draft on screen may be newer than on disk. */
const minIntervalMs = 1000;

/** A longer draft is written less often, to limit the UTF-16 units written per second. */
const maxUnitsPerSecond = 1024 * 1024;

interface DraftSaverOptions {
  /** The chat of the draft. */
  readonly id: string;
  readonly clock: Clock;
  /** Whether the store may have a draft of an earlier session. */
  readonly mayHaveStoredDraft: boolean;
  /** Whether the store has any part of the chat. */
  readonly isChatStored: () => boolean;
  /** Queues a write to the store. */
  readonly write: (write: (store: ConversationStore) => Promise<boolean>) => void;
}

/** Stores the unsent draft of a chat. */
export class DraftSaver {
  readonly #options: DraftSaverOptions;
  readonly #writeThrottle: Throttle;
  /** The draft of the next write. */
  #unsent: UnsentPrompt | undefined;
  /** Whether the store may have a draft, of an earlier session or of the last write. */
  #mayHaveStoredDraft: boolean;

  constructor(options: DraftSaverOptions) {
    this.#options = options;
    this.#mayHaveStoredDraft = options.mayHaveStoredDraft;
    this.#writeThrottle = new Throttle(
      () => this.#write(),
      () => Math.max(minIntervalMs, (measureLength(this.#unsent) / maxUnitsPerSecond) * 1000),
      (ms, callback) => options.clock.after(ms, callback),
    );
  }

  /** Schedules a write of a draft. An empty draft replaces a stored one. */
  scheduleWrite(unsent: UnsentPrompt): void {
    this.#unsent = unsent;
    this.#writeThrottle.schedule();
  }

  /** Performs the scheduled write. */
  flush(): void {
    this.#writeThrottle.flush();
  }

  dispose(): void {
    this.#writeThrottle.dispose();
  }

  #write(): void {
    const { id, isChatStored, write } = this.#options;
    const unsent = this.#unsent;
    this.#unsent = undefined;
    if (!unsent || (!isChatStored() && !this.#mayHaveStoredDraft && isEmpty(unsent))) return;
    this.#mayHaveStoredDraft = !isEmpty(unsent);
    const { text, context = [], models = [] } = unsent;
    write(async (store) => {
      const attachments = await storePictures(unsent.images, store);
      store.drafts.write({ text, attachments, context, models }, id);
      return true;
    });
  }
}

/** The length of its texts, including attached ones, in UTF-16 units. */
function measureLength(unsent: UnsentPrompt | undefined): number {
  const texts = unsent?.context?.map(({ text }) => (typeof text === 'string' ? text.length : 0)) ?? [];
  return texts.reduce((sum, length) => sum + length, unsent?.text.length ?? 0);
}

function isEmpty({ text, images, context = [], models = [] }: UnsentPrompt): boolean {
  return [text, images, context, models].every(({ length }) => length === 0);
}

/** Stores the pictures of a draft. @returns their hashes */
async function storePictures(images: readonly Image[], { attachments }: ConversationStore) {
  return Promise.all(images.map(({ data }) => attachments.add(Buffer.from(data, 'base64'))));
}
