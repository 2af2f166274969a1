import type { ListCursor, ListedConversation, ListFilter } from '../../../conversations/store/listing.ts';
import type { StoreQueries } from '../../../conversations/store/storeQueries.ts';

/** The groups of the Chats view, in their order. */
export const chatGroups = ['pinned', 'today', 'yesterday', 'week', 'older', 'archived'] as const;

export type ChatGroup = (typeof chatGroups)[number];

/** The starts of the days that separate the groups, in milliseconds since 1970, in local time. */
interface GroupDays {
  readonly today: number;
  readonly yesterday: number;
  /** The Monday of this week; on a Monday, the day before. */
  readonly week: number;
}

/** The user's filter of chats. */
export type ChatFilter = Pick<ListFilter, 'workspace' | 'gateway' | 'model'>;

/** The loaded chats of a group, which are its last changed chats. */
export interface LoadedGroup {
  readonly chats: readonly ListedConversation[];
  /** The start of the next page; absent if all chats are loaded. */
  readonly next?: ListCursor;
}

/** The number of chats in a page of a group. VS Code requests all loaded rows of an expanded group at once. */
const chatsPerPage = 50;

/** The maximum number of changed chats that are read by id. If more chats changed, all loaded chats are read again. */
const maxChanged = 200;

const emptyGroup: LoadedGroup = { chats: [] };

/** The chats loaded for the view. The cost of an update depends only on the number of changed chats. */
export class LoadedChats {
  readonly #store: Pick<StoreQueries, 'list'>;
  readonly #now: () => number;
  readonly #groups = new Map<ChatGroup, LoadedGroup>();
  #days: GroupDays;
  #filter: ChatFilter = {};

  constructor(store: Pick<StoreQueries, 'list'>, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
    this.#days = computeGroupDays(now());
  }

  getGroup(group: ChatGroup): LoadedGroup {
    return this.#groups.get(group) ?? emptyGroup;
  }

  /** Whether a new day began since the chats were grouped. */
  get isFromEarlierDay(): boolean {
    return computeGroupDays(this.#now()).today !== this.#days.today;
  }

  /** Reads the loaded chats again. @throws {StorageError} */
  reload(filter = this.#filter): void {
    const days = computeGroupDays(this.#now());
    const groups = chatGroups.map((group) => {
      const limit = Math.max(chatsPerPage, this.getGroup(group).chats.length);
      const page = this.#store.list({ ...filter, ...createGroupFilter(group, days) }, limit);
      return [group, toLoadedGroup(page)] as const;
    });
    this.#days = days;
    this.#filter = filter;
    for (const [group, loaded] of groups) this.#groups.set(group, loaded);
  }

  /** Reads the next page of a group. @throws {StorageError} */
  loadMore(group: ChatGroup): void {
    const { chats, next } = this.getGroup(group);
    if (!next) return;
    const filter = { ...this.#filter, ...createGroupFilter(group, this.#days) };
    const page = toLoadedGroup(this.#store.list(filter, chatsPerPage, next));
    const loadedIds = new Set(chats.map(({ id }) => id));
    this.#groups.set(group, {
      ...page,
      chats: [...chats, ...page.chats.filter(({ id }) => !loadedIds.has(id))],
    });
  }

  /** Reads the chats with these ids again. @throws {StorageError} */
  update(ids: readonly string[]): void {
    if (ids.length > maxChanged) {
      this.reload();
      return;
    }
    const found = this.#store.list({ ...this.#filter, ids, archived: 'any' }, maxChanged).conversations;
    const changedIds = new Set(ids);
    for (const [group, loaded] of this.#groups) {
      const belongsToGroup = (chat: ListedConversation) => findGroup(chat, this.#days) === group;
      const added = found.filter(
        (chat) => belongsToGroup(chat) && chat.changedAt >= (loaded.next?.changedAt ?? 0),
      );
      const unchanged = loaded.chats.filter(({ id }) => !changedIds.has(id));
      if (added.length === 0 && unchanged.length === loaded.chats.length) continue;
      const chats = [...added, ...unchanged].toSorted(
        (one, other) => other.changedAt - one.changedAt || other.key - one.key,
      );
      this.#groups.set(group, { ...loaded, chats });
      // If all loaded chats were moved out of the group, the group would look empty although it has further chats.
      if (chats.length < chatsPerPage) this.loadMore(group);
    }
  }
}

function toLoadedGroup({ conversations, next }: ReturnType<StoreQueries['list']>): LoadedGroup {
  return { chats: conversations, ...(next && { next }) };
}

/** @param now the current time, in milliseconds since 1970 */
export function computeGroupDays(now: number): GroupDays {
  const date = new Date(now);
  const daysAgo = (days: number) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
  const sinceMonday = (date.getDay() + 6) % 7;
  return { today: daysAgo(0), yesterday: daysAgo(1), week: daysAgo(Math.max(1, sinceMonday)) };
}

/** Creates the filter for the chats of a group. */
export function createGroupFilter(group: ChatGroup, { today, yesterday, week }: GroupDays): ListFilter {
  switch (group) {
    case 'pinned':
      return { pinned: true };
    case 'today':
      return { pinned: false, from: today };
    case 'yesterday':
      return { pinned: false, from: yesterday, to: today };
    case 'week':
      return { pinned: false, from: week, to: yesterday };
    case 'older':
      return { pinned: false, to: week };
    case 'archived':
      return { archived: true };
  }
}

export function findGroup(
  { changedAt, pinnedAt, archivedAt }: Pick<ListedConversation, 'changedAt' | 'pinnedAt' | 'archivedAt'>,
  days: GroupDays,
): ChatGroup {
  if (archivedAt !== undefined) return 'archived';
  if (pinnedAt !== undefined) return 'pinned';
  if (changedAt >= days.today) return 'today';
  if (changedAt >= days.yesterday) return 'yesterday';
  return changedAt >= days.week ? 'week' : 'older';
}
