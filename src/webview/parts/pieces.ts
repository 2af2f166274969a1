/** The bytes of one message. Their base64 stays below the host's limit. */
const pieceBytes = 384 * 1024;

export interface Piece {
  readonly id: string;
  readonly data: string;
  readonly last: boolean;
}

/** Splits a file into base64 pieces of whole bytes; an empty one is one empty piece. */
export async function* piecesOf(file: Blob): AsyncGenerator<Piece> {
  const id = crypto.randomUUID();
  const bytes = new Uint8Array(await file.arrayBuffer());
  for (let start = 0; start === 0 || start < bytes.length; start += pieceBytes) {
    const piece = bytes.subarray(start, start + pieceBytes);
    yield { id, data: base64(piece), last: start + pieceBytes >= bytes.length };
  }
}

function base64(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
