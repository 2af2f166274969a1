import type { Frame, FromGeneratePage, GenerateState } from '../../protocol/generatePage.ts';
import { piecesOf, takeDrops } from '../parts/files.ts';
import { FrameWellElement } from './frameWell.ts';

interface Pictures {
  /** Returns the frames of the current route. */
  readonly frames: () => readonly Frame[];
  readonly pictures: () => GenerateState['pictures'];
  readonly send: (message: Extract<FromGeneratePage, { type: 'attach-piece' | 'drop-files' }>) => void;
}

/**
 * Sends pictures that are dropped or pasted to the host, those of VS Code's own views by their addresses. Pasted text
 * goes into its box as usual.
 */
export function acceptPictures(page: HTMLElement, { frames, pictures, send }: Pictures): void {
  const isEmpty = (frame: Frame) => pictures()[frame] === undefined;
  const freeAt = (target: EventTarget | null) => freeFrames(frames(), isEmpty, frameAt(target));
  const attach = async (files: readonly File[], free: readonly Frame[]) => {
    const [frame] = free;
    if (frame === undefined) return;
    const found = placed(files, free);
    // The host says so of what is no picture.
    if (found.length === 0) found.push({ frame, file: new File([], '') });
    for (const { frame, file } of found) {
      for await (const piece of piecesOf(file)) send({ type: 'attach-piece', frame, ...piece });
    }
  };
  takeDrops(page, ({ files, uris, target }) => {
    const free = freeAt(target);
    if (free.length === 0) return;
    if (uris.length > 0) send({ type: 'drop-files', uris: [...uris], frames: [...free] });
    else void attach(files, free);
  });
  document.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0 || frames().length === 0) return;
    event.preventDefault();
    void attach(files, freeAt(event.target));
  });
}

/** The frame under an event's target. */
function frameAt(target: EventTarget | null): Frame | undefined {
  const well = target instanceof Element ? target.closest('mg-frame-well') : undefined;
  return well instanceof FrameWellElement ? well.frame : undefined;
}

/** A picture and where it goes. */
interface Placed {
  readonly frame: Frame;
  readonly file: File;
}

/**
 * Assigns pasted or dropped pictures to frames, in the order of `freeFrames`. Leaves out files that are no
 * pictures or find no frame.
 */
function placed(files: readonly File[], frames: readonly Frame[]): Placed[] {
  const pictures = files.filter(({ type }) => type.startsWith('image/'));
  return pictures.flatMap((file, index) => {
    const frame = frames[index];
    return frame ? [{ frame, file }] : [];
  });
}

/** The frames that pictures go to: from the one under the pointer, else from the first empty one. */
function freeFrames(
  frames: readonly Frame[],
  isEmpty: (frame: Frame) => boolean,
  wanted: Frame | undefined,
): readonly Frame[] {
  const first = wanted ?? frames.find(isEmpty) ?? frames[0];
  const free = frames.filter((frame) => frame === first || isEmpty(frame));
  return free.toSorted((one, other) => Number(other === first) - Number(one === first));
}
