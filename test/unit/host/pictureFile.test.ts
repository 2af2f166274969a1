import assert from 'node:assert/strict';
import { readPictureType } from '../../../src/host/kit/pages/receivedPictures.ts';

describe('the type of a picture file', () => {
  for (const [start, kind] of [
    ['\x89PNG\r\n\x1a\nrest', 'image/png'],
    ['\xff\xd8\xff\xe0rest', 'image/jpeg'],
    ['GIF89arest', 'image/gif'],
    ['RIFF\x01\x02\x03\x0aWEBPrest', 'image/webp'],
    ['<svg xmlns="http://www.w3.org/2000/svg">', undefined],
    ['\0\0\0\x18ftypheic', undefined],
    ['\0\0\0\x20ftypisom', undefined],
    ['PNG', undefined],
    ['', undefined],
  ] as const) {
    it(`is ${kind ?? 'none'} for ${JSON.stringify(start)}`, () => {
      assert.equal(readPictureType(Buffer.from(start, 'latin1')), kind);
    });
  }
});
