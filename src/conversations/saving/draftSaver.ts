import type { Clock } from '../../base/node/clock.ts';
import { Throttle } from '../../base/throttle.ts';
import type { Image } from '../conversation/reply.ts';
import type { UnsentPrompt } from '../conversation/turn.ts';
import type { ConversationStore } from '../store/conversationStore.ts';

/** The minimum interval between two writes of a draft. */
const minIntervalMs = 1000;

/** A longer draft is written less often, to limit the UTF-16 units written per second. */
const maxUnitsPerSecond = 1024 * 1024;

interface DraftSaverOptions {
  /** The chat of the draft. */
  readonly id: string;
  readonly clock: Clock;
  /** Whether the store may have a draft of an earlier session. */
  readonly mayHaveStoredDraft: boolean;
  /** Whether the store has any message of the chat. */
  readonly isChatStored: () => boolean;
  /** Queues a write to the store. */
  readonly write: (write: (store: ConversationStore) => Promise<boolean>) => void;
}

/** Stores the unsent draft of a chat. */
export class DraftSaver {
  readonly #options: DraftSaverOptions;
  readonly #writeThrottle: Throttle;
  /** The draft of the next write. */
  #draft: UnsentPrompt | undefined;
  /** Whether the store may have a draft, of an earlier session or of the last write. */
  #mayHaveStoredDraft: boolean;

  constructor(options: DraftSaverOptions) {
    this.#options = options;
    this.#mayHaveStoredDraft = options.mayHaveStoredDraft;
    this.#writeThrottle = new Throttle(
      () => this.#write(),
      () => Math.max(minIntervalMs, (measureLength(this.#draft) / maxUnitsPerSecond) * 1000),
      (ms, callback) => options.clock.after(ms, callback),
    );
  }

  /** Schedules a write of a draft. An empty draft replaces a stored one. */
  scheduleWrite(draft: UnsentPrompt): void {
    this.#draft = draft;
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
    const draft = this.#draft;
    this.#draft = undefined;
    if (!draft || (!isChatStored() && !this.#mayHaveStoredDraft && isEmpty(draft))) return;
    this.#mayHaveStoredDraft = !isEmpty(draft);
    const { text, context = [], models = [] } = draft;
    write(async (store) => {
      const attachments = await storePictures(draft.images, store);
      store.drafts.write({ text, attachments, context, models }, id);
      return true;
    });
  }
}

/** Measures the texts of a draft, including attached texts, in UTF-16 units. */
function measureLength(draft: UnsentPrompt | undefined): number {
  const texts = draft?.context?.map(({ text }) => (typeof text === 'string' ? text.length : 0)) ?? [];
  return texts.reduce((sum, length) => sum + length, draft?.text.length ?? 0);
}

function isEmpty({ text, images, context = [], models = [] }: UnsentPrompt): boolean {
  return [text, images, context, models].every(({ length }) => length === 0);
}

/** Stores the pictures of a draft. @returns their hashes */
async function storePictures(images: readonly Image[], { attachments }: ConversationStore) {
  return Promise.all(images.map(({ data }) => attachments.add(Buffer.from(data, 'base64'))));
}
