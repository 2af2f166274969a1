import { leavesPictures } from './longRuns.ts';

/** Defines a test that finds nothing wrong by itself: it takes pictures, in every theme or width, to look at. */
export function pictures(title: string, take: () => Promise<void>): void {
  if (leavesPictures) it(title, take);
}
