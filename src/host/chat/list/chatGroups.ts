import type { ListFilter } from '../../../conversations/store/listing.ts';

/** The groups of the Chats view, in their order. */
export const chatGroups = ['pinned', 'today', 'yesterday', 'week', 'older', 'archived'] as const;

export type ChatGroup = (typeof chatGroups)[number];

/** When the days of the groups began, in milliseconds since 1970, by the clock on the wall. */
export interface GroupDays {
  readonly today: number;
  readonly yesterday: number;
  /** Monday; the day before today where the week began after it. */
  readonly week: number;
}

export function daysAt(now: number): GroupDays {
  const date = new Date(now);
  const daysAgo = (days: number) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
  const sinceMonday = (date.getDay() + 6) % 7;
  return { today: daysAgo(0), yesterday: daysAgo(1), week: daysAgo(Math.max(1, sinceMonday)) };
}

/** Which chats belong to a group. */
export function groupFilter(group: ChatGroup, { today, yesterday, week }: GroupDays): ListFilter {
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

/** What decides in which group a chat stands. */
interface Grouped {
  readonly changedAt: number;
  readonly pinnedAt?: number;
  readonly archivedAt?: number;
}

export function groupOfChat({ changedAt, pinnedAt, archivedAt }: Grouped, days: GroupDays): ChatGroup {
  if (archivedAt !== undefined) return 'archived';
  if (pinnedAt !== undefined) return 'pinned';
  if (changedAt >= days.today) return 'today';
  if (changedAt >= days.yesterday) return 'yesterday';
  return changedAt >= days.week ? 'week' : 'older';
}
