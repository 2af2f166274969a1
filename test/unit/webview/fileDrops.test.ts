import assert from 'node:assert/strict';
import { splitIntoPieces } from '../../../src/webview/parts/fileDrops.ts';

describe('a dropped file', () => {
  async function split(file: Blob): Promise<{ readonly bytes: number; readonly lasts: readonly boolean[] }> {
    let bytes = 0;
    const lasts: boolean[] = [];
    for await (const { data, isLast } of splitIntoPieces(file)) {
      bytes += Buffer.from(data, 'base64').length;
      lasts.push(isLast);
    }
    return { bytes, lasts };
  }

  it('is sent in pieces of at most 384 kB, an empty file in one piece', async () => {
    assert.deepEqual(await split(new Blob([])), { bytes: 0, lasts: [true] });
    const file = new Blob([new Uint8Array(384 * 1024 + 1)]);
    assert.deepEqual(await split(file), { bytes: file.size, lasts: [false, true] });
  });

  it('of any size is sent up to a length that the host refuses', async () => {
    const { bytes, lasts } = await split(new Blob([new Uint8Array(12 * 1024 * 1024)]));
    assert.equal(bytes, 11 * 1024 * 1024);
    assert.equal(lasts.indexOf(true), lasts.length - 1);
  });
});
