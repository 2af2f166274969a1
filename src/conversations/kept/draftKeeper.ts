import type { Clock } from '../../base/node/clock.ts';
import { Throttle } from '../../base/throttle.ts';
import type { Image } from '../conversation/reply.ts';
import type { UnsentPrompt } from '../conversation/turn.ts';
import type { ConversationStore } from '../store/conversationStore.ts';

/** How long a draft may be newer on screen than on disk, in milliseconds. */
const draftMs = 1000;

/** A longer one is written less often, so that as many units at most are written in a second. */
const maxUnitsPerSecond = 1024 * 1024;

interface DraftKeeping {
  /** The chat that it is written for. */
  readonly id: string;
  readonly clock: Clock;
  /** Whether the store may have a draft of an earlier session. */
  readonly mayBeKept: boolean;
  /** Whether the store has anything of the chat. */
  readonly isChatKept: () => boolean;
  /** Writes to the store, in its turn. */
  readonly write: (write: (store: ConversationStore) => Promise<boolean>) => void;
}

/** Keeps what is typed in a chat and not sent. */
export class DraftKeeper {
  readonly #keeping: DraftKeeping;
  readonly #soon: Throttle;
  /** The draft that is to be written. */
  #unsent: UnsentPrompt | undefined;
  /** Whether the store may have a draft: one of an earlier session, or what was written last. */
  #mayBeKept: boolean;

  constructor(keeping: DraftKeeping) {
    this.#keeping = keeping;
    this.#mayBeKept = keeping.mayBeKept;
    this.#soon = new Throttle(
      () => this.#write(),
      () => Math.max(draftMs, (unitsOf(this.#unsent) / maxUnitsPerSecond) * 1000),
      (ms, callback) => keeping.clock.after(ms, callback),
    );
  }

  /** Keeps a draft, soon. An empty one takes the place of one that is kept. */
  keep(unsent: UnsentPrompt): void {
    this.#unsent = unsent;
    this.#soon.schedule();
  }

  /** Writes what waits. */
  flush(): void {
    this.#soon.flush();
  }

  dispose(): void {
    this.#soon.dispose();
  }

  #write(): void {
    const { id, isChatKept, write } = this.#keeping;
    const unsent = this.#unsent;
    this.#unsent = undefined;
    if (!unsent || (!isChatKept() && !this.#mayBeKept && isEmpty(unsent))) return;
    this.#mayBeKept = !isEmpty(unsent);
    const { text, context = [], models = [] } = unsent;
    write(async (store) => {
      const attachments = await keptPictures(unsent.images, store);
      store.drafts.write({ text, attachments, context, models }, id);
      return true;
    });
  }
}

/** How long its texts are, those that go along among them, in UTF-16 units. */
function unitsOf(unsent: UnsentPrompt | undefined): number {
  const texts = unsent?.context?.map(({ text }) => (typeof text === 'string' ? text.length : 0)) ?? [];
  return texts.reduce((sum, length) => sum + length, unsent?.text.length ?? 0);
}

function isEmpty({ text, images, context = [], models = [] }: UnsentPrompt): boolean {
  return [text, images, context, models].every(({ length }) => length === 0);
}

/** Keeps the pictures of a draft. @returns their hashes */
async function keptPictures(images: readonly Image[], { attachments }: ConversationStore) {
  return Promise.all(images.map(({ data }) => attachments.keep(Buffer.from(data, 'base64'))));
}
