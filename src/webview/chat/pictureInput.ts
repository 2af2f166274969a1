import type { FromChatPage } from '../../protocol/chatPage.ts';
import { piecesOf, takeDrops } from '../parts/files.ts';

type AttachPiece = Extract<FromChatPage, { type: 'attach-piece' }>;
type Dropped = Extract<FromChatPage, { type: 'attach-piece' | 'drop-files' | 'drop-text' }>;

/** The most bytes of a file whose text is sent to the host. */
const maxTextBytes = 1024 * 1024;

/** Attaches what is dropped anywhere on a page: files of VS Code's own views, and of the system. */
export function acceptDrops(page: HTMLElement, send: (message: Dropped) => void): void {
  takeDrops(page, ({ files, uris }) => {
    if (uris.length > 0) send({ type: 'drop-files', uris: [...uris] });
    else void attachFiles(files, send);
  });
}

/** Sends pictures piece by piece. The host refuses those that are none. */
export async function attach(files: readonly File[], send: (piece: AttachPiece) => void): Promise<void> {
  for (const file of files) {
    for await (const piece of piecesOf(file)) send({ type: 'attach-piece', ...piece });
  }
}

async function attachFiles(files: readonly File[], send: (message: Dropped) => void): Promise<void> {
  for (const file of files) {
    if (file.type.startsWith('image/')) await attach([file], send);
    else {
      const text = file.size > maxTextBytes ? '' : await file.text();
      send({ type: 'drop-text', name: file.name, bytes: file.size, text });
    }
  }
}
