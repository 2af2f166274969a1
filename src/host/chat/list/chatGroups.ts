import type { ListFilter } from '../../../conversations/store/listing.ts';

/** The groups of the Chats view, in their order. */
export const chatGroups = ['pinned', 'today', 'yesterday', 'week', 'older', 'archived'] as const;

export type ChatGroup = (typeof chatGroups)[number];

/** The starts of the days that separate the groups, in milliseconds since 1970, in local time. */
export interface GroupDays {
  readonly today: number;
  readonly yesterday: number;
  /** The last Monday, or yesterday if the week began after that. */
  readonly week: number;
}

/** The starts of the days at a time. */
export function computeGroupDays(now: number): GroupDays {
  const date = new Date(now);
  const daysAgo = (days: number) =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate() - days).getTime();
  const sinceMonday = (date.getDay() + 6) % 7;
  return { today: daysAgo(0), yesterday: daysAgo(1), week: daysAgo(Math.max(1, sinceMonday)) };
}

/** The filter for the chats of a group. */
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

/** The properties that determine the group of a chat. */
interface Grouped {
  readonly changedAt: number;
  readonly pinnedAt?: number;
  readonly archivedAt?: number;
}

export function findGroup({ changedAt, pinnedAt, archivedAt }: Grouped, days: GroupDays): ChatGroup {
  if (archivedAt !== undefined) return 'archived';
  if (pinnedAt !== undefined) return 'pinned';
  if (changedAt >= days.today) return 'today';
  if (changedAt >= days.yesterday) return 'yesterday';
  return changedAt >= days.week ? 'week' : 'older';
}
