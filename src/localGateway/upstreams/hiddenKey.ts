/**
 * Hides the gateway's key in the bytes of a reply, wherever they are cut. The length stays the same, which the
 * reply may have told already; all other bytes stay as they are.
 */
export async function* withoutKey(body: AsyncIterable<Uint8Array>, key: string): AsyncGenerator<Uint8Array> {
  const sought = Buffer.from(key);
  const cover = Buffer.alloc(sought.length, '*');
  let held: Buffer = Buffer.alloc(0);
  for await (const piece of body) {
    const bytes = Buffer.concat([held, piece]);
    for (let at = bytes.indexOf(sought); at >= 0; at = bytes.indexOf(sought, at + sought.length))
      cover.copy(bytes, at);
    const end = endBefore(bytes, sought);
    held = bytes.subarray(end);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (held.length > 0) yield held;
}

/** Where the bytes end that cannot be the beginning of the key. */
function endBefore(bytes: Buffer, sought: Buffer): number {
  const longest = Math.min(bytes.length, sought.length - 1);
  for (let length = longest; length > 0; length -= 1) {
    if (bytes.subarray(-length).equals(sought.subarray(0, length))) return bytes.length - length;
  }
  return bytes.length;
}
