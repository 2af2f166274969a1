import { isTextBox } from './hostKeys.ts';

/** Files dropped on a page: system files, or otherwise the addresses of files from VS Code's own views. */
interface Drop {
  readonly files: readonly File[];
  readonly uris: readonly string[];
  readonly target: EventTarget | null;
}

/** The schemes of links, which are not files. */
const linkScheme = /^(?:https?|mailto):/i;

/** The maximum number of files that are accepted at once. */
const maxFiles = 32;

/**
 * Accepts files that are dropped anywhere on a page. Text and links can be dropped only into a text box, because a
 * browser would open a link that is dropped elsewhere.
 */
export function listenForDrops(page: HTMLElement, onDrop: (drop: Drop) => void): void {
  page.addEventListener('dragover', (event) => event.preventDefault());
  page.addEventListener('drop', (event) => {
    const { dataTransfer, target } = event;
    if (!dataTransfer) return;
    const files = [...dataTransfer.files];
    const uris = files.length > 0 ? [] : readDroppedUris(dataTransfer);
    const isEmpty = files.length === 0 && uris.length === 0;
    if (isEmpty && isTextBox(event.composedPath()[0])) return;
    event.preventDefault();
    if (!isEmpty) onDrop({ files, uris, target });
  });
}

/** Reads the addresses that VS Code's views and editors provide for dragged items. Skips links. */
function readDroppedUris(data: DataTransfer): readonly string[] {
  const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return list
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#') && !linkScheme.test(line))
    .slice(0, maxFiles);
}

/** The maximum number of bytes in one message. Their base64 is below the host's limit. */
const pieceBytes = 384 * 1024;

/** The maximum number of sent bytes of a file. More than the host accepts, so it reports that the file is too large. */
const maxSentBytes = 11 * 1024 * 1024;

interface Piece {
  readonly id: string;
  readonly data: string;
  readonly isLast: boolean;
}

/** Splits a file into base64 pieces of whole bytes. An empty file becomes one empty piece. */
export async function* splitIntoPieces(file: Blob): AsyncGenerator<Piece> {
  const id = crypto.randomUUID();
  const bytes = new Uint8Array(await file.slice(0, maxSentBytes).arrayBuffer());
  for (let start = 0; start === 0 || start < bytes.length; start += pieceBytes) {
    const piece = bytes.subarray(start, start + pieceBytes);
    yield { id, data: encodeBase64(piece), isLast: start + pieceBytes >= bytes.length };
  }
}

function encodeBase64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
