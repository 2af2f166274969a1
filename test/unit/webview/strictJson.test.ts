import assert from 'node:assert/strict';
import fc from 'fast-check';
import { findLineAndColumn, JsonError, readJson } from '../../../src/webview/form/strictJson.ts';
import { describeProblem } from '../../../src/webview/words/problemWords.ts';

describe('the JSON reader of the form', () => {
  const findFault = (text: string) => {
    try {
      readJson(text);
    } catch (error) {
      if (error instanceof JsonError)
        return describeProblem({
          kind: 'at',
          ...findLineAndColumn(text, error.offset),
          problem: error.problem,
        });
      throw error;
    }
    return undefined;
  };

  it('reads the same values as JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 2), (json, indent) => {
        const text = JSON.stringify(JSON.parse(json), null, indent);
        if (findFault(text)?.includes('too large')) return;
        assert.deepEqual(readJson(text).value, JSON.parse(text));
      }),
    );
  });

  it('rejects everything that JSON.parse rejects', () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '\\',
      '1',
      '-',
      '01',
      '.5',
      'true',
      'nul',
      ' ',
      '\n',
    ];
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...pieces)).map((each) => each.join('')),
        (text) => {
          let valid = true;
          try {
            JSON.parse(text);
          } catch {
            valid = false;
          }
          if (!valid) assert.ok(findFault(text), `${text} was read`);
        },
      ),
    );
  });

  it('reports the position and the problem', () => {
    assert.equal(findFault('[1, 2,]'), 'line 1, column 7: expected a value');
    assert.equal(findFault('{"a": 1\n"b": 2}'), 'line 2, column 1: expected a comma or }');
    assert.equal(findFault("{'a': 1}"), 'line 1, column 2: expected a name in double quotes');
    assert.equal(findFault('["a\n"]'), 'line 1, column 4: expected " before the end of the line');
    assert.equal(findFault('"abc'), 'line 1, column 5: expected " at the end');
    assert.equal(findFault('"\\x"'), 'line 1, column 1: this text has a stray \\');
    assert.equal(findFault('1 2'), 'line 1, column 3: unexpected text after the end');
    assert.equal(findFault(''), 'line 1, column 1: expected a value');
  });

  it('rejects duplicate names and numbers with too many digits', () => {
    assert.equal(findFault('{"a": 1, "a": 2}'), 'line 1, column 10: the name a is used twice');
    assert.match(findFault('12345678901234567890') ?? '', /^line 1, column 1: this number is too large/);
    assert.match(findFault('[1e999]') ?? '', /^line 1, column 2: this number is too large/);
  });

  it('reads __proto__ as a normal name, and limits depth and length', () => {
    const value = readJson('{"__proto__": {"polluted": true}}').value;
    assert.ok(Object.hasOwn(value as object, '__proto__'));
    assert.equal('polluted' in {}, false);
    assert.match(findFault('['.repeat(100_000)) ?? '', /nested more than 100 levels deep/);
    const long = `"${'x'.repeat(5 * 1024 * 1024)}"`;
    assert.equal(findFault(long), 'line 1, column 1: longer than 1,048,576 characters; shorten it');
  });
});
