import { savesPictures } from './longRuns.ts';

/** Defines a test that has no assertions of its own: it takes screenshots, in every theme or width, for review. */
export function definePictureTest(title: string, take: () => Promise<void>): void {
  if (savesPictures) it(title, take);
}
