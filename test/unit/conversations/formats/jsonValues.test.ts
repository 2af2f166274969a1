import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Piece } from '../../../../src/conversations/formats/reading/filePiece.ts';
import { readJsonValues } from '../../../../src/conversations/formats/reading/jsonValues.ts';
import { countRepetitions } from '../../../support/longRuns.ts';

async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function pieces(
  text: string | Buffer,
  size = 1_000_000,
  maxBytes = 1_000_000,
): Promise<readonly Piece[]> {
  const all: Piece[] = [];
  for await (const piece of readJsonValues(chunks(Buffer.from(text), size), maxBytes)) all.push(piece);
  return all;
}

async function readValues(text: string, size?: number): Promise<readonly string[]> {
  return (await pieces(text, size)).map((piece) => {
    const words = 'bytes' in piece ? ` ${piece.bytes}` : '';
    return `${piece.type}@${piece.byte}${piece.line === undefined ? '' : `/${piece.line}`}${words}`;
  });
}

const json = fc.jsonValue({ stringUnit: 'binary' });

describe('the values of a JSON file', () => {
  it('are the elements of an array, however its bytes arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(json),
        fc.constantFrom(undefined, 2, '\t'),
        fc.integer({ min: 1, max: 50 }),
        async (values, space, size) => {
          const found = await pieces(JSON.stringify(values, undefined, space), size);
          const read = found.map((piece) =>
            piece.type === 'value' ? JSON.parse(piece.bytes.toString()) : piece,
          );
          assert.deepEqual(read, JSON.parse(JSON.stringify(values)));
        },
      ),
      { numRuns: countRepetitions(1_000) },
    );
  });

  it('can be consecutive objects', async () => {
    assert.deepEqual(await readValues(' {"a":"}"} {"b":[{}]}\n'), [
      'value@1 {"a":"}"}',
      'value@11 {"b":[{}]}',
    ]);
    assert.deepEqual(await readValues('{\n}\n{\n}'), ['value@0 {\n}', 'value@4 {\n}']);
    assert.deepEqual(await readValues('{}x'), ['value@0 {}', 'stray@2']);
  });

  it('are lines if each object has its own line, so that a fault ends with its line', async () => {
    for (const size of [1, 3, 100]) {
      assert.deepEqual(await readValues('{"a":1}\n{"b":"\n\n{"c":1}\n{"d"', size), [
        'value@0 {"a":1}',
        'value@8/2 {"b":"',
        'value@16/4 {"c":1}',
        'value@24/5 {"d"',
      ]);
    }
  });

  it('end at a fault, and start again at text that looks like the first value', async () => {
    const faults = [
      '{"k":1,"x":{]}',
      '{"k":"a "b" c"}',
      '{"k":"a\nb"}',
      '{"k":[1}]}',
      '{"k":nope}',
      '{"k":1}}',
      '{"k":(',
    ];
    for (const fault of faults) {
      for (const size of [1, 2, 5, 100]) {
        const found = await readValues(`[{"k":0}, ${fault}, {"k":2}, {"k":3}]`, size);
        assert.equal(found[0], 'value@1 {"k":0}');
        assert.deepEqual(
          found.slice(-2).map((piece) => piece.replace(/@\d+/, '')),
          ['value {"k":2}', 'value {"k":3}'],
          fault,
        );
        assert.equal(found.length, fault === '{"k":1}}' ? 5 : 4, fault);
      }
    }
  });

  it('are the same after a fault, however the bytes arrive', async () => {
    const separated =
      '[{"id":"a","x":1},\n{"id":"b","y":1]  \n{"id":"c","x":2},\n{"id":"d","x":3}] \n{"id":"e"}]';
    const nested = `[${'['.repeat(1_000_001)}${']'.repeat(1_000_001)},\n{}]`;
    const piece = fc.constantFrom(
      '{"id":1}',
      '{"id":',
      '{ "id" : "x" }',
      '{"id":1]',
      '{"id":"a\n',
      '{"b":[{"id":2}]}',
      '"s"',
      '7',
      ',',
      ', ',
      ',\n',
      '\n',
      '\r\n',
      '  ',
      ' '.repeat(70),
      '[',
      ']',
      '}',
      '"',
      '\\',
      'x',
      ':',
    );
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => `[{"id":0}${pieces.join('')}`);
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 20 }), async (text, size) => {
        assert.deepEqual(await readValues(text, size), await readValues(text));
      }),
      {
        numRuns: countRepetitions(1_000),
        examples: [[separated, 1], ...[18, 19].map((n) => [separated, n] as const)],
      },
    );
    const max = 10_000_000;
    assert.deepEqual(await pieces(nested, 1_000_002, max), await pieces(nested, max, max));
  });

  it('are reported as cut where the file ends', async () => {
    assert.deepEqual(await readValues(''), []);
    assert.deepEqual(await readValues('['), ['cut@1 ']);
    assert.deepEqual(await readValues('[{}'), ['value@1 {}', 'cut@3 ']);
    assert.deepEqual(await readValues('[{},'), ['value@1 {}', 'cut@4 ']);
    assert.deepEqual(await readValues('[{},{"a":"b\\'), ['value@1 {}', 'cut@4 {"a":"b\\']);
    assert.deepEqual(await readValues('{"a'), ['cut@0 {"a']);
    assert.deepEqual(await readValues('[12'), ['cut@1 12']);
    assert.deepEqual(await readValues('[]'), []);
    assert.deepEqual(await readValues('[] x'), ['stray@3']);
  });

  it('are skipped if they are too large', async () => {
    const found = await pieces(`[1,"${'x'.repeat(1000)}",{"y":"${'y'.repeat(1000)}"},2]`, 100, 500);
    assert.deepEqual(
      found.map(({ type }) => type),
      ['value', 'too-large', 'too-large', 'value'],
    );
  });
});
