import assert from 'node:assert/strict';
import { ReceivedPictures } from '../../../src/host/kit/pages/receivedPictures.ts';

describe('pictures that arrive in pieces', () => {
  const piece = (bytes: number, isLast: boolean, id = 'a') => ({
    id,
    isLast,
    data: Buffer.alloc(bytes, 'x').toString('base64'),
  });
  let pictures: ReceivedPictures;

  beforeEach(() => {
    pictures = new ReceivedPictures(10, 2);
  });

  it('are joined', () => {
    assert.equal(pictures.receive(piece(4, false)), undefined);
    assert.deepEqual(pictures.receive(piece(6, true)), Buffer.alloc(10, 'x'));
    assert.deepEqual(pictures.receive(piece(0, true)), Buffer.alloc(0), 'an empty file');
  });

  it('are reported as too large at any piece, without affecting later pictures', () => {
    assert.equal(pictures.receive(piece(11, true)), 'tooLarge');
    for (const bytes of [6, 6, 1]) assert.equal(pictures.receive(piece(bytes, false)), undefined);
    assert.equal(pictures.receive(piece(1, true)), 'tooLarge');
    assert.deepEqual(pictures.receive(piece(3, true)), Buffer.alloc(3, 'x'));
  });

  it('are buffered for a limited number of pictures at once', () => {
    for (const id of ['a', 'b', 'c']) pictures.receive(piece(4, false, id));
    assert.equal(pictures.receive(piece(4, true, 'a'))?.length, 8);
    assert.equal(pictures.receive(piece(4, true, 'c'))?.length, 4);
  });
});
