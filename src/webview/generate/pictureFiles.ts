import type { Frame } from '../../protocol/generatePage.ts';

/** A picture and where it goes. */
export interface Placed {
  readonly frame: Frame;
  readonly file: File;
}

/**
 * Assigns pasted or dropped pictures to frames, in the order of `freeFrames`. Leaves out files that are no
 * pictures or find no frame.
 */
export function placed(files: readonly File[], frames: readonly Frame[]): Placed[] {
  const pictures = files.filter(({ type }) => type.startsWith('image/'));
  return pictures.flatMap((file, index) => {
    const frame = frames[index];
    return frame ? [{ frame, file }] : [];
  });
}

/** The frames that pictures go to: from the one under the pointer, else from the first empty one. */
export function freeFrames(
  frames: readonly Frame[],
  isEmpty: (frame: Frame) => boolean,
  wanted: Frame | undefined,
): readonly Frame[] {
  const first = wanted ?? frames.find(isEmpty) ?? frames[0];
  const free = frames.filter((frame) => frame === first || isEmpty(frame));
  return free.toSorted((one, other) => Number(other === first) - Number(one === first));
}
