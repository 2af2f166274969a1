import type { ListCursor, ListedConversation, ListFilter } from '../../../conversations/store/listing.ts';
import type { StoreQueries } from '../../../conversations/store/storeQueries.ts';
import {
  type ChatGroup,
  chatGroups,
  daysAt,
  type GroupDays,
  groupFilter,
  groupOfChat,
} from './chatGroups.ts';

/** Which chats the user wants to see. */
export type ChatFilter = Pick<ListFilter, 'workspace' | 'gateway' | 'model'>;

/** The chats of a group that were read: those that changed last. */
export interface LoadedGroup {
  readonly chats: readonly ListedConversation[];
  /** Where the next page begins; absent where all were read. */
  readonly next?: ListCursor;
}

/** How many chats a group shows at a time, because VS Code asks for all rows of an open group at once. */
const rowsPerStep = 50;

/** With more changes than this at once, all is read anew. */
const maxChanged = 200;

const none: LoadedGroup = { chats: [] };

/** What was read of the kept chats for the view. A change costs what changed, however many chats there are. */
export class LoadedChats {
  readonly #store: Pick<StoreQueries, 'list'>;
  readonly #now: () => number;
  readonly #groups = new Map<ChatGroup, LoadedGroup>();
  #days: GroupDays;
  #filter: ChatFilter = {};

  constructor(store: Pick<StoreQueries, 'list'>, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
    this.#days = daysAt(now());
  }

  group(group: ChatGroup): LoadedGroup {
    return this.#groups.get(group) ?? none;
  }

  find(id: string): ListedConversation | undefined {
    for (const { chats } of this.#groups.values()) {
      const found = chats.find((chat) => chat.id === id);
      if (found) return found;
    }
    return undefined;
  }

  /** Whether a day began since the chats were put into groups. */
  get isOfYesterday(): boolean {
    return daysAt(this.#now()).today !== this.#days.today;
  }

  /** Reads as many chats anew as were read before. @throws {StorageError} */
  reload(filter = this.#filter): void {
    const days = daysAt(this.#now());
    const read = chatGroups.map((group) => {
      const limit = Math.max(rowsPerStep, this.group(group).chats.length);
      return [group, loaded(this.#store.list({ ...filter, ...groupFilter(group, days) }, limit))] as const;
    });
    this.#days = days;
    this.#filter = filter;
    for (const [group, chats] of read) this.#groups.set(group, chats);
  }

  /** Reads the next page of a group. @throws {StorageError} */
  more(group: ChatGroup): void {
    const { chats, next } = this.group(group);
    if (!next) return;
    const filter = { ...this.#filter, ...groupFilter(group, this.#days) };
    const page = loaded(this.#store.list(filter, rowsPerStep, next));
    const known = new Set(chats.map(({ id }) => id));
    this.#groups.set(group, { ...page, chats: [...chats, ...page.chats.filter(({ id }) => !known.has(id))] });
  }

  /** Takes over what changed of some chats. @throws {StorageError} */
  update(ids: readonly string[]): void {
    if (ids.length > maxChanged) {
      this.reload();
      return;
    }
    const found = this.#store.list({ ...this.#filter, ids, archived: 'any' }, maxChanged).conversations;
    const changed = new Set(ids);
    for (const [group, known] of this.#groups) {
      const isHere = (chat: ListedConversation) => groupOfChat(chat, this.#days) === group;
      const added = found.filter((chat) => isHere(chat) && chat.changedAt >= (known.next?.changedAt ?? 0));
      const left = known.chats.filter(({ id }) => !changed.has(id));
      if (added.length === 0 && left.length === known.chats.length) continue;
      const chats = [...added, ...left].toSorted(
        (one, other) => other.changedAt - one.changedAt || other.key - one.key,
      );
      this.#groups.set(group, { ...known, chats });
      // A group of which all that was read went away would look empty.
      if (chats.length < rowsPerStep) this.more(group);
    }
  }
}

function loaded({
  conversations,
  next,
}: {
  readonly conversations: readonly ListedConversation[];
  readonly next?: ListCursor;
}) {
  return { chats: conversations, ...(next && { next }) };
}
