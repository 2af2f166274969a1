import assert from 'node:assert/strict';
import { ArrivedBytes, type ArrivedPiece } from '../../../src/client/arrivedBytes.ts';

const kB = 1024;

function textOf(pieces: readonly ArrivedPiece[]): string {
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}

function sizeOf(pieces: readonly ArrivedPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

describe('what is kept of a body that arrives', () => {
  it('is all of a short one, piece by piece with its time', () => {
    const arrived = new ArrivedBytes();
    arrived.add(Buffer.from('one '), 1);
    arrived.add(Buffer.from('two'), 25);
    const { beginning, omittedBytes, end } = arrived.kept;
    assert.deepEqual(
      beginning.map(({ atMs, bytes }) => [atMs, Buffer.from(bytes).toString()]),
      [
        [1, 'one '],
        [25, 'two'],
      ],
    );
    assert.deepEqual([omittedBytes, end], [0, []]);
  });

  it('does not change when the buffer of the socket is used again', () => {
    const arrived = new ArrivedBytes();
    const buffer = Buffer.from('first');
    arrived.add(buffer, 1);
    buffer.write('other');
    assert.equal(textOf(arrived.kept.beginning), 'first');
  });

  it('is the beginning and the end of a long one, and says how much is missing', () => {
    const arrived = new ArrivedBytes();
    for (let nth = 0; nth < 1000; nth++) arrived.add(Buffer.alloc(kB, `${nth} `), nth);
    const { beginning, omittedBytes, end } = arrived.kept;
    assert.equal(sizeOf(beginning), 256 * kB);
    assert.equal(sizeOf(end), 64 * kB);
    assert.equal(omittedBytes, 1000 * kB - 320 * kB);
    assert.deepEqual([beginning[0]?.atMs, end.at(-1)?.atMs], [0, 999]);
    assert.match(textOf(end), /999 \d*$/);
  });

  it('stays small for a body of single bytes, and for one piece that is larger than all of it', () => {
    const drip = new ArrivedBytes();
    for (let nth = 0; nth < 500_000; nth++) drip.add(Buffer.from('x'), nth);
    const { beginning, end, omittedBytes } = drip.kept;
    assert.ok(beginning.length + end.length <= 2 * 16 * kB);
    assert.equal(sizeOf(beginning) + sizeOf(end) + omittedBytes, 500_000);

    const whole = new ArrivedBytes();
    whole.add(Buffer.alloc(1000 * kB, 'y'), 5);
    assert.equal(sizeOf(whole.kept.end), 64 * kB);
    assert.equal(sizeOf(whole.kept.beginning) + whole.kept.omittedBytes + 64 * kB, 1000 * kB);
  });
});
