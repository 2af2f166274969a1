import assert from 'node:assert/strict';
import { crc32, inflateSync } from 'node:zlib';
import { drawPicture } from '../../../../src/localGateway/demo/drawPicture.ts';
import { createRandom } from '../../../../src/localGateway/demo/seededRandom.ts';

describe('a demo picture', () => {
  it('is a valid PNG with correct checksums', () => {
    const { data, width, height, mimeType } = drawPicture(createRandom('a cat'));
    assert.equal(mimeType, 'image/png');
    const png = Buffer.from(data, 'base64');
    assert.equal(png.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n');
    const chunks = new Map<string, Buffer>();
    for (let at = 8; at < png.length; ) {
      const length = png.readUInt32BE(at);
      const chunk = png.subarray(at + 4, at + 8 + length);
      assert.equal(png.readUInt32BE(at + 8 + length), crc32(chunk));
      chunks.set(chunk.subarray(0, 4).toString(), chunk.subarray(4));
      at += 12 + length;
    }
    assert.deepEqual([...chunks.keys()], ['IHDR', 'IDAT', 'IEND']);
    const header = chunks.get('IHDR');
    assert.deepEqual([header?.readUInt32BE(0), header?.readUInt32BE(4)], [width, height]);
    assert.equal(inflateSync(chunks.get('IDAT') ?? '').length, height * (1 + 3 * width));
    assert.ok(png.length < 50_000, `${png.length} bytes`);
  });

  it('has a blue sky in its first row for any question', () => {
    for (let question = 0; question < 50; question++) {
      const png = Buffer.from(drawPicture(createRandom(`question ${question}`)).data, 'base64');
      const at = png.indexOf('IDAT');
      const rows = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)));
      const [red = 0, green = 0, blue = 0] = rows.subarray(1, 4);
      assert.ok(blue > green && green > red, `question ${question}: ${red} ${green} ${blue}`);
    }
  });

  it('is the same for the same question, and different for another', () => {
    const drawn = (question: string) => drawPicture(createRandom(question)).data;
    assert.equal(drawn('a cat'), drawn('a cat'));
    assert.notEqual(drawn('a cat'), drawn('a dog'));
  });
});
