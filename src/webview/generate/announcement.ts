import type { TaskTile } from '../../protocol/taskPage.ts';

/** Words of a prompt that are enough to know it by. */
const shortPrompt = 60;

/** What a screen reader is told when the tasks change: which ones came to another state. Empty for nothing. */
export function tilesAnnouncement(before: readonly TaskTile[], after: readonly TaskTile[]): string {
  const looks = new Map(before.map(({ key, look }) => [key, look]));
  return after
    .filter(({ key, look }) => looks.has(key) && looks.get(key) !== look)
    .map(({ status, prompt }) => `${status}: ${prompt.slice(0, shortPrompt)}`)
    .join('. ');
}
