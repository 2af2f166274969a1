import { leavesPictures } from './longRuns.ts';

/** Defines a test that has no assertions of its own: it takes screenshots, in every theme or width, for review. */
export function pictures(title: string, take: () => Promise<void>): void {
  if (leavesPictures) it(title, take);
}
