import type { ListedConversation, ListFilter } from '../../../conversations/store/listing.ts';

/** The groups of the Chats view, in their order. */
export const chatGroups = ['pinned', 'today', 'yesterday', 'week', 'older', 'archived'] as const;

export type ChatGroup = (typeof chatGroups)[number];

/** The starts of the days that separate the groups, in milliseconds since 1970, in local time. */
export interface GroupDays {
  readonly today: number;
  readonly yesterday: number;
  /** The Monday of this week; on a Monday, the day before. */
  readonly week: number;
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
