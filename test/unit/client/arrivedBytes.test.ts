import assert from 'node:assert/strict';
import { ArrivedBytes, type ArrivedPiece } from '../../../src/client/arrivedBytes.ts';

const kB = 1024;

function joinText(pieces: readonly ArrivedPiece[]): string {
  return Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
}

function measureSize(pieces: readonly ArrivedPiece[]): number {
  return pieces.reduce((sum, { bytes }) => sum + bytes.length, 0);
}

describe('the retained part of a received body', () => {
  it('is all of a short body, in pieces with their times', () => {
    const arrived = new ArrivedBytes();
    arrived.add(Buffer.from('one '), 1);
    arrived.add(Buffer.from('two'), 25);
    const { beginning, omittedBytes, end } = arrived.parts;
    assert.deepEqual(
      beginning.map(({ atMs, bytes }) => [atMs, Buffer.from(bytes).toString()]),
      [
        [1, 'one '],
        [25, 'two'],
      ],
    );
    assert.deepEqual([omittedBytes, end], [0, []]);
  });

  it('does not change when the buffer of the socket is reused', () => {
    const arrived = new ArrivedBytes();
    const buffer = Buffer.from('first');
    arrived.add(buffer, 1);
    buffer.write('other');
    assert.equal(joinText(arrived.parts.beginning), 'first');
  });

  it('is the beginning and the end of a long body, with the number of omitted bytes', () => {
    const arrived = new ArrivedBytes();
    for (let nth = 0; nth < 1000; nth++) arrived.add(Buffer.alloc(kB, `${nth} `), nth);
    const { beginning, omittedBytes, end } = arrived.parts;
    assert.equal(measureSize(beginning), 256 * kB);
    assert.equal(measureSize(end), 64 * kB);
    assert.equal(omittedBytes, 1000 * kB - 320 * kB);
    assert.deepEqual([beginning[0]?.atMs, end.at(-1)?.atMs], [0, 999]);
    assert.match(joinText(end), /999 \d*$/);
  });

  it('stays small for a body that arrives in single bytes, and for one very large piece', () => {
    const drip = new ArrivedBytes();
    for (let nth = 0; nth < 500_000; nth++) drip.add(Buffer.from('x'), nth);
    const { beginning, end, omittedBytes } = drip.parts;
    assert.ok(beginning.length + end.length <= 2 * 16 * kB);
    assert.equal(measureSize(beginning) + measureSize(end) + omittedBytes, 500_000);

    const arrived = new ArrivedBytes();
    arrived.add(Buffer.alloc(1000 * kB, 'y'), 5);
    assert.equal(measureSize(arrived.parts.end), 64 * kB);
    assert.equal(measureSize(arrived.parts.beginning) + arrived.parts.omittedBytes + 64 * kB, 1000 * kB);
  });
});
