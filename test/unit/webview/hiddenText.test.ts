import assert from 'node:assert/strict';
import { splitHiddenText } from '../../../src/webview/markdown/hiddenText.ts';

const tags = [...'secret']
  .map((letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0)))
  .join('');

describe('T20 hidden characters', () => {
  const hidden: Readonly<Record<string, readonly [text: string, count: number]>> = {
    'Unicode tags': [tags, 6],
    'a lone language tag': ['\u{e0001}', 1],
    'a zero-width space': ['\u200b', 1],
    'zero-width joiners between letters': ['\u200d\u200c', 2],
    'a byte order mark': ['\ufeff', 1],
    'a soft hyphen': ['\u00ad', 1],
    'a word joiner': ['\u2060', 1],
    'invisible operators': ['\u2062\u2063', 2],
    'a right-to-left override': ['\u202e', 1],
    'bidirectional isolates': ['\u2066\u2069', 2],
    'a right-to-left mark': ['\u200f', 1],
    'a combining grapheme joiner': ['\u034f', 1],
    'Hangul fillers': ['\u3164\u115f\uffa0', 3],
    'a Mongolian vowel separator': ['\u180e', 1],
    'variation selectors that spell bytes': ['\ufe01\u{e0105}\u{e0110}', 3],
    'a style selector after a letter': ['\ufe0f', 1],
    'NUL and escape': ['\u0000\u001b', 2],
    'a delete character': ['\u007f', 1],
    'interlinear annotations': ['\ufff9\ufffb', 2],
    'deprecated format characters': ['\u206a\u206f', 2],
  };
  for (const [name, [characters, count]] of Object.entries(hidden)) {
    it(`become a counted marker: ${name}`, () => {
      assert.deepEqual(splitHiddenText(`a${characters}b`), [{ text: 'a' }, { hidden: count }, { text: 'b' }]);
    });
  }

  const readable: Readonly<Record<string, string>> = {
    'joined emoji': 'a family 👩‍👩‍👧 here',
    'emoji with a style and a skin tone': '❤️ 👍🏽 👩🏽‍🚀',
    'a flag spelled with tags': '🏴󠁧󠁢󠁥󠁮󠁧󠁿',
    'a keycap': '1️⃣',
    'a joiner in Persian': 'می\u200cخواهم',
    'a joiner in Hindi': 'क्\u200dष',
    'tabs and line ends': 'a\tb\r\nc',
    'right-to-left text without controls': 'שלום עולם',
  };
  for (const [name, text] of Object.entries(readable)) {
    it(`do not include ${name}`, () => {
      assert.deepEqual(splitHiddenText(text), [{ text }]);
    });
  }

  it('include tags after a flag that needs none', () => {
    assert.deepEqual(splitHiddenText(`🏴${tags}`), [{ text: '🏴' }, { hidden: 6 }]);
  });

  it('F59 include more marks on one letter than any script has', () => {
    const letter = `z${'\u0301'.repeat(16)}`;
    assert.deepEqual(splitHiddenText(`${letter}${'\u0301'.repeat(500)} end`), [
      { text: letter },
      { hidden: 500 },
      { text: ' end' },
    ]);
    assert.deepEqual(splitHiddenText('na\u00efve \u0e17\u0e35\u0e48'), [
      { text: 'na\u00efve \u0e17\u0e35\u0e48' },
    ]);
  });

  it('F59 are merged into fewer markers if there are too many', () => {
    const runs = splitHiddenText('a\u200b'.repeat(5000));
    assert.ok(runs.length < 200, `${runs.length} runs`);
    const count = runs.reduce((sum, run) => sum + ('hidden' in run ? run.hidden : 0), 0);
    const text = runs.map((run) => ('text' in run ? run.text : '')).join('');
    assert.deepEqual([count, text], [5000, 'a'.repeat(5000)]);
  });
});
