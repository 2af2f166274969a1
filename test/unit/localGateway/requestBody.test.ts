import assert from 'node:assert/strict';
import fc from 'fast-check';
import { HttpError } from '../../../src/localGateway/http/httpError.ts';
import { readModelField, readRequestBody } from '../../../src/localGateway/http/requestBody.ts';
import { joinPieces } from '../../../src/localGateway/json/bodyPieces.ts';
import { scanObject } from '../../../src/localGateway/json/jsonFields.ts';

describe('the body of a request', () => {
  const readText = (text: string) => readRequestBody(Buffer.from(text));
  const mapped = (text: string, id = 'y') => joinPieces(readText(text).replaceModel(id)).toString();
  /** Whether the runtime parses it as an object. */
  const parses = (text: string) => {
    try {
      const value: unknown = JSON.parse(text);
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    } catch {
      return false;
    }
  };
  const isObject = (bytes: Uint8Array) => scanObject(bytes, ['model']) !== undefined;

  it('F60 keeps every byte except those of the model', () => {
    const rest =
      '"seed":9223372036854775807, "x":1e400,"a":-0.10E+2,\n"s":"\\u00e9\\ud800 \\"model\\":\\"z\\"","s":null,"":[{},[],{"model":"deep"}]';
    for (const [before, after] of [
      [`{ "model" : "one/m" , ${rest}}`, `{ "model" : "y" , ${rest}}`],
      [`{${rest},"model":"one\\/m"}`, `{${rest},"model":"y"}`],
      [`\ufeff\r\n\t{${rest},"mod\\u0065l":"\\u006fne/m"}  `, `\ufeff\r\n\t{${rest},"mod\\u0065l":"y"}  `],
    ] as const) {
      assert.equal(readModelField(readText(before)), 'one/m');
      assert.equal(mapped(before), after);
    }
    assert.equal(mapped('{"model":"x"}', 'a"b\\模'), '{"model":"a\\"b\\\\模"}');
  });

  it('has its last model as the model, and replaces all of them', () => {
    const twice = '{"model":"one/a","messages":[],"model":"two/b"}';
    assert.equal(readModelField(readText(twice)), 'two/b');
    assert.equal(mapped(twice, 'b'), '{"model":"b","messages":[],"model":"b"}');
    assert.equal(readModelField(readText('{"model":{"model":[1]},"model":"m"}')), 'm');
    for (const text of [twice, '{"model":"a","mod\\u0065l":"b"}'])
      assert.equal(readText(text).isRepeated('model'), true);
    assert.equal(readText('{"model":"m","x":{"model":"n"}}').isRepeated('model'), false);
  });

  it('has no model if the field is not text', () => {
    for (const text of ['{}', '{"model":5}', '{"model":""}', '{"model":null}', '{"x":{"model":"m"}}']) {
      assert.throws(
        () => readModelField(readText(text)),
        /^HttpError: model: expected the id of a model/,
        text,
      );
    }
    assert.throws(() => readModelField(readText('{"model":"m","model":["m"]}')), HttpError);
  });

  it('is rejected if it is not a JSON object', () => {
    const none =
      '[] 1 "x" null {"a":1 {"a"} {"a":} {a:1} {"a":1,} {,} {"a":1}} {"a":1}x {"a":[1,]} {"a":[1} {"a":01} {"a":+1} {"a":1.} {"a":.5} {"a":1e} {"a":-} {"a":NaN} {"a":True} {"a":"\\x"} {"a":"\\u12g4"} {"a":"x {"a":\'x\'} {"a"::1} {"a":1"b":2} {"a":[}]} { }{'.split(
        ' ',
      );
    for (const text of ['', ' ', '{"a":"\n"}', '{"a":1 2}', ...none]) {
      assert.throws(() => readText(text), HttpError, text);
      if (text !== '{' && text !== '}{') assert.equal(isObject(Buffer.from(text)), false, text);
    }
    assert.throws(() => readRequestBody([]), /The body is empty/);
    assert.equal(isObject(Buffer.from('{"model":"m"}', 'utf16le')), false);
  });

  it('is read like JSON.parse reads it, for any content', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.string(), fc.constant('model')), fc.jsonValue()), (value) => {
        for (const text of [JSON.stringify(value), JSON.stringify(value, null, ' \t')]) {
          const { model } = JSON.parse(text) as { model?: unknown };
          assert.deepEqual(readText(text).readField('model'), model);
          const replaced = model === undefined ? JSON.parse(text) : { ...JSON.parse(text), model: 'y' };
          assert.deepEqual(JSON.parse(mapped(text)), replaced);
        }
      }),
    );
  });

  it('is accepted exactly if JSON.parse accepts it, with any damage', () => {
    const good = '{"model":"a\\n\\u0041","n":[-1.5e+3,0,true,null,{"x":[]}],"t":"é"}';
    const byte = fc.constantFrom(...'{}[]",:\\eE+-.01 tfnu\n'.split(''));
    fc.assert(
      fc.property(fc.nat(good.length), fc.nat(3), fc.array(byte, { maxLength: 3 }), (at, cut, put) => {
        const text = good.slice(0, at) + put.join('') + good.slice(at + cut);
        assert.equal(isObject(Buffer.from(text)), parses(text), text);
      }),
      { numRuns: 5_000 },
    );
  });

  it('is accepted exactly if JSON.parse accepts it, with any strings and literals', () => {
    const part = fc.constantFrom(
      'a',
      'bc',
      'é',
      '\\n',
      '\\\\',
      '\\"',
      '\\u00e9',
      '\\u00',
      '\\x',
      '\\',
      '"',
      '\t',
    );
    const word = fc.constantFrom(
      '0',
      '-0',
      '12.50',
      '1E+9',
      '2e-1',
      'true',
      'null',
      'false',
      '1.e',
      '-',
      '00',
      'nul',
      'e1',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), word, (parts, last) => {
        const text = `{"s":"${parts.join('')}","w":[${last},${last}]}`;
        assert.equal(isObject(Buffer.from(text)), parses(text), text);
      }),
      { numRuns: 5_000 },
    );
  });

  it('P9 is read in time with very deep, long or repeated content', () => {
    const deep = `{"x":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)},"model":"m"}`;
    const wide = `{"x":[${'[],{},1,"\\u0041",'.repeat(100_000)}0],"model":"m"}`;
    const repeated = `{${'"model":"n",'.repeat(100_000)}"model":"m"}`;
    const keys = `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":0,`).join('')}"model":"m"}`;
    for (const text of [deep, wide, repeated, keys]) assert.equal(readModelField(readText(text)), 'm');
    assert.equal(readText(deep).depth, 1_000_001);
    assert.equal(readText('{"a":[],"b":{"c":1}}').depth, 2);
    assert.equal(mapped(repeated).length, repeated.length);
  });

  it('F60 has the same meaning and bytes for any split', () => {
    const text = '{"messages":["\\"model\\":é"],"model":"one/m","stream":true, "n":[-1.5e3,{"model":0}]}';
    const unsplit = readRequestBody(Buffer.from(text));
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(text)), { maxLength: 5 }), (cuts) => {
        const bytes = Buffer.from(text);
        const ends = [...cuts.toSorted((one, other) => one - other), bytes.length];
        const cut = readRequestBody(ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end)));
        assert.equal(readModelField(cut), 'one/m');
        assert.equal(cut.readField('stream'), true);
        assert.equal(cut.depth, unsplit.depth);
        assert.equal(joinPieces(cut.pieces).toString(), text);
        assert.equal(joinPieces(cut.replaceModel('other')).toString(), text.replace('one/m', 'other'));
        assert.deepEqual(cut.editFields({ model: undefined }), unsplit.editFields({ model: undefined }));
      }),
    );
  });

  it('stays unchanged when another body is read', () => {
    const cut = (text: string) => text.split('').map((each) => Buffer.from(each));
    const body = readRequestBody(cut('{"model":"one","stream":true}'));
    readRequestBody(cut('{"model":"two","stream":null,"n":1}'));
    assert.equal(readModelField(body), 'one');
    assert.equal(body.readField('stream'), true);
    assert.equal(joinPieces(body.replaceModel('y')).toString(), '{"model":"y","stream":true}');
  });

  it('may contain invalid UTF-8 outside the fields that are read', () => {
    const bytes = Buffer.concat([
      Buffer.from('{"x":"'),
      Buffer.of(0xff, 0xc0, 0x80),
      Buffer.from('","model":"m"}'),
    ]);
    const sent = joinPieces(readRequestBody(bytes).replaceModel('n'));
    assert.deepEqual(sent, Buffer.from(bytes.toString('latin1').replace('"m"', '"n"'), 'latin1'));
  });
});
