import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlannedResult } from '../../upstreams/upstream.ts';

/** The clips that stand for videos, as scripts/demoClips.mjs renders them: `<name>.mp4`, the first being the usual one. */
const clips = [
  { name: 'landscape', width: 640, height: 360 },
  { name: 'portrait', width: 360, height: 640 },
  { name: 'square', width: 480, height: 480 },
] as const;

const seconds = 5;

/**
 * The clips for a video, the one of the nearest form first; the others follow, so that several are told apart.
 *
 * @param form width divided by height
 */
export function chooseClips(form: number | undefined, count: number): readonly PlannedResult[] {
  const distance = ({ width, height }: (typeof clips)[number]) =>
    form === undefined ? 0 : Math.abs(Math.log(width / height / form));
  const nearest = clips.toSorted((a, b) => distance(a) - distance(b));
  const chosen = Array.from({ length: count }, (_, i) => nearest[i % nearest.length] ?? clips[0]);
  return chosen.map((clip) => ({ ...clip, mimeType: 'video/mp4', seconds }));
}

/** @param folder where the clips lie */
export async function readClip(folder: string, { name }: PlannedResult): Promise<Buffer> {
  // Names come out of a file that other versions of this program may have written.
  const clip = clips.find((each) => each.name === name) ?? clips[0];
  return readFile(join(folder, `${clip.name}.mp4`));
}
