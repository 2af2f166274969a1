import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedResult } from '../../upstreams/upstream.ts';

/**
 * The clips in place of videos, which scripts/demoClips.mjs renders as `<name>.mp4`. The first one is the
 * default.
 */
const clips = [
  { name: 'landscape', width: 640, height: 360 },
  { name: 'portrait', width: 360, height: 640 },
  { name: 'square', width: 480, height: 480 },
] as const;

const seconds = 5;

/**
 * Chooses clips for a video: the one with the nearest aspect ratio first, then the others, so that several
 * results differ.
 *
 * @param aspectRatio width divided by height
 */
export function chooseClips(aspectRatio: number | undefined, count: number): readonly PlannedResult[] {
  const distance = ({ width, height }: (typeof clips)[number]) =>
    aspectRatio === undefined ? 0 : Math.abs(Math.log(width / height / aspectRatio));
  const nearest = clips.toSorted((a, b) => distance(a) - distance(b));
  const chosen = Array.from({ length: count }, (_, i) => nearest[i % nearest.length] ?? clips[0]);
  return chosen.map((clip) => ({ ...clip, mimeType: 'video/mp4', seconds }));
}

/** @param folder the folder of the clips */
export async function readClip(folder: string, { name }: PlannedResult): Promise<Buffer> {
  // The name comes from a file that another version of this program may have written.
  const clip = clips.find((each) => each.name === name) ?? clips[0];
  return readFile(join(folder, `${clip.name}.mp4`));
}
