import type { FramePosition, FromGeneratePage, GenerateState } from '../../protocol/generatePage.ts';
import { listenForDrops, splitIntoPieces } from '../parts/fileDrops.ts';
import { FrameDropZone } from './frameDropZone.ts';

interface PictureInput {
  /** Returns the frames of the current route. */
  readonly getFrames: () => readonly FramePosition[];
  readonly getPictures: () => GenerateState['pictures'];
  readonly send: (message: Extract<FromGeneratePage, { type: 'attach-piece' | 'drop-files' }>) => void;
}

/**
 * Sends dropped or pasted pictures to the host; pictures from VS Code's own views are sent as addresses. Pasted
 * text goes into its box as usual.
 */
export function acceptPictures(page: HTMLElement, { getFrames, getPictures, send }: PictureInput): void {
  const isEmpty = (frame: FramePosition) => getPictures()[frame] === undefined;
  const listFreeAt = (target: EventTarget | null) => listFreeFrames(getFrames(), isEmpty, findFrame(target));
  const attach = async (files: readonly File[], free: readonly FramePosition[]) => {
    const [frame] = free;
    if (frame === undefined) return;
    const assigned = assignFrames(files, free);
    if (assigned.length === 0) assigned.push({ frame, file: new File([], '') });
    for (const { frame, file } of assigned) {
      for await (const piece of splitIntoPieces(await copyIfReadable(file)))
        send({ type: 'attach-piece', frame, ...piece });
    }
  };
  listenForDrops(page, ({ files, uris, target }) => {
    const free = listFreeAt(target);
    if (free.length === 0) return;
    if (uris.length > 0) send({ type: 'drop-files', uris: [...uris], frames: [...free] });
    else void attach(files, free);
  });
  document.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0 || getFrames().length === 0) return;
    event.preventDefault();
    void attach(files, listFreeAt(event.target));
  });
}

/** Returns an empty file for a folder or an unreadable file: the host reports it as a file that is not a picture. */
async function copyIfReadable(file: File): Promise<File> {
  const isReadable = await file
    .slice(0, 1)
    .arrayBuffer()
    .then(
      () => true,
      () => false,
    );
  return isReadable ? file : new File([], file.name);
}

/** Finds the frame that contains the target of an event. */
function findFrame(target: EventTarget | null): FramePosition | undefined {
  const zone = target instanceof Element ? target.closest('mg-frame-drop-zone') : undefined;
  return zone instanceof FrameDropZone ? zone.frame : undefined;
}

/** A picture and its frame. */
interface FramePicture {
  readonly frame: FramePosition;
  readonly file: File;
}

/**
 * Assigns pasted or dropped pictures to frames, in the order of `listFreeFrames`. Skips other files and extra
 * pictures.
 */
function assignFrames(files: readonly File[], frames: readonly FramePosition[]): FramePicture[] {
  const pictures = files.filter(({ type }) => type.startsWith('image/'));
  return pictures.flatMap((file, index) => {
    const frame = frames[index];
    return frame ? [{ frame, file }] : [];
  });
}

/**
 * Lists the frames that receive pictures: the frame under the pointer, or otherwise the first empty one, and then all
 * other empty frames. If all are full, the first frame receives a picture.
 */
function listFreeFrames(
  frames: readonly FramePosition[],
  isEmpty: (frame: FramePosition) => boolean,
  target: FramePosition | undefined,
): readonly FramePosition[] {
  const first = target ?? frames.find(isEmpty) ?? frames[0];
  const free = frames.filter((frame) => frame === first || isEmpty(frame));
  return free.toSorted((one, other) => Number(other === first) - Number(one === first));
}
