import type { TaskTile } from '../../protocol/taskPage.ts';

/** Words of a prompt that are enough to know it by. */
const maxPromptLength = 60;

/** What a screen reader is told when the tasks change: which ones came to another state. Empty for nothing. */
export function tilesAnnouncement(before: readonly TaskTile[], after: readonly TaskTile[]): string {
  const appearances = new Map(before.map(({ key, appearance }) => [key, appearance]));
  return after
    .filter(({ key, appearance }) => appearances.has(key) && appearances.get(key) !== appearance)
    .map(({ status, prompt }) => `${status}: ${prompt.slice(0, maxPromptLength)}`)
    .join('. ');
}
