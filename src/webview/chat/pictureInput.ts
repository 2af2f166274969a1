import type { FromChatPage } from '../../protocol/chatPage.ts';
import { piecesOf } from '../parts/pieces.ts';

type AttachPiece = Extract<FromChatPage, { type: 'attach-piece' }>;

/** Attaches files that are dropped anywhere on a page. */
export function acceptDrops(page: HTMLElement, send: (piece: AttachPiece) => void): void {
  page.addEventListener('dragover', (event) => event.preventDefault());
  page.addEventListener('drop', (event) => {
    event.preventDefault();
    void attach([...(event.dataTransfer?.files ?? [])], send);
  });
}

/** Sends files piece by piece. The host refuses those that are no pictures. */
export async function attach(files: readonly File[], send: (piece: AttachPiece) => void): Promise<void> {
  for (const file of files) {
    for await (const piece of piecesOf(file)) send({ type: 'attach-piece', ...piece });
  }
}
