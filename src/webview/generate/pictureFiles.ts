import type { Frame } from '../../protocol/generatePage.ts';

/** A picture and where it goes. */
export interface Placed {
  readonly frame: Frame;
  readonly file: File;
}

/**
 * Assigns pasted or dropped pictures to frames: from the frame under the pointer, else from the first empty
 * one. Leaves out files that are no pictures or find no frame.
 */
export function placed(
  files: Iterable<File>,
  frames: readonly Frame[],
  isEmpty: (frame: Frame) => boolean,
  wanted: Frame | undefined,
): readonly Placed[] {
  const first = wanted ?? frames.find(isEmpty) ?? frames[0];
  const free = frames.filter((frame) => frame === first || isEmpty(frame));
  const ordered = free.toSorted((one, other) => Number(other === first) - Number(one === first));
  const pictures = [...files].filter(({ type }) => type.startsWith('image/'));
  return pictures.flatMap((file, index) => {
    const frame = ordered[index];
    return frame ? [{ frame, file }] : [];
  });
}
