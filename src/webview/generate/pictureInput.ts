import type { Frame, GenerateState } from '../../protocol/generatePage.ts';
import { type Piece, piecesOf } from '../parts/pieces.ts';
import { FrameWellElement } from './frameWell.ts';
import { placed } from './pictureFiles.ts';

interface Pictures {
  /** Returns the frames of the current route. */
  readonly frames: () => readonly Frame[];
  readonly pictures: () => GenerateState['pictures'];
  readonly send: (piece: Piece & { readonly frame: Frame }) => void;
}

/** Sends pictures that are dropped or pasted to the host. Pasted text goes into its box as usual. */
export function acceptPictures(page: HTMLElement, { frames, pictures, send }: Pictures): void {
  const attach = async (files: Iterable<File>, wanted: Frame | undefined) => {
    const isEmpty = (frame: Frame) => pictures()[frame] === undefined;
    for (const { frame, file } of placed(files, frames(), isEmpty, wanted)) {
      for await (const piece of piecesOf(file)) send({ frame, ...piece });
    }
  };
  page.addEventListener('dragover', (event) => event.preventDefault());
  page.addEventListener('drop', (event) => {
    event.preventDefault();
    void attach(event.dataTransfer?.files ?? [], frameAt(event.target));
  });
  document.addEventListener('paste', (event) => {
    const files = [...(event.clipboardData?.files ?? [])];
    if (files.length === 0 || frames().length === 0) return;
    event.preventDefault();
    void attach(files, frameAt(event.target));
  });
}

/** The frame under an event's target. */
function frameAt(target: EventTarget | null): Frame | undefined {
  const well = target instanceof Element ? target.closest('mg-frame-well') : undefined;
  return well instanceof FrameWellElement ? well.frame : undefined;
}
