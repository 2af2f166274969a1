import assert from 'node:assert/strict';
import MarkdownIt from 'markdown-it';
import {
  escapeMarkdown,
  formatLogEntry,
  plainLine,
  plainText,
  removeHidden,
} from '../../../src/host/kit/display/plainText.ts';

/** VS Code 1.139's pattern for a link in a notification, a prompt or a validation message. */
const link = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/i;
/** Its pattern for an icon in a list, the status bar and a progress title. */
const icon = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/i;

/** As VS Code puts a notification on one line before it looks for links. */
function asNotified(text: string): string {
  return text.replace(/(\r\n|\n|\r)/gm, ' ').trim();
}

describe('external text in the interface of VS Code', () => {
  const command = 'command:workbench.action.terminal.new';

  for (const [input, hostile] of Object.entries({
    'a command link': `[Sign in again](${command})`,
    'a web link': '[docs](https://phishing.example)',
    'a file link': '[log](file:///etc/passwd)',
    'a link with a title': `[Sign in](${command} "Sign in")`,
    'nested brackets': `[[[Sign] in](${command})](${command})`,
    'arguments in the address': `[x](${command}?%5B%22a%22%5D)`,
    'a zero-width space in between': `[x]\u200b(${command})`,
    'a word joiner in between': `[x]\u2060(${command})`,
    'a direction mark in between': `[x]\u202e(${command})`,
    'a soft hyphen in between': `[x]\u00ad(${command})`,
    'a control character in between': `[x]\u0007(${command})`,
    'a lone surrogate in between': `[x]\ud800(${command})`,
    'a tag character in between': `[x]\u{e0041}(${command})`,
    'a joiner in between': `[x]\u200d(${command})`,
    'a line break in the label': `[Sign\nin](${command})`,
    'a line break in between': `[x]\r\n(${command})`,
    'many at once': `[a](${command})`.repeat(20),
  })) {
    it(`does not contain a link for ${input}`, () => {
      for (const shown of [plainLine(hostile, 1000), plainText(hostile, 1000)]) {
        assert.doesNotMatch(asNotified(shown), link);
        assert.match(shown, /(?:command|https|file):/);
      }
    });
  }

  it('differs from the original only by a space', () => {
    assert.equal(plainLine(`[Sign in](${command}) now`, 200), `[Sign in] (${command}) now`);
    assert.equal(plainLine('costs $(5) or $(trash)', 200), 'costs $ (5) or $ (trash)');
  });

  it('does not contain a link or an icon for any combination of their parts', () => {
    const pieces = [
      '[',
      ']',
      '(',
      ')',
      '$',
      'a',
      ' ',
      '\n',
      '"',
      '\u200b',
      '\u2066',
      command,
      'https://a.b',
      '\\',
    ];
    let seed = 7;
    const next = () => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return pieces[seed % pieces.length] ?? '';
    };
    for (let run = 0; run < 20_000; run++) {
      const text = Array.from({ length: 12 }, next).join('');
      for (const shown of [plainLine(text, 400), plainText(text, 400)]) {
        assert.doesNotMatch(asNotified(shown), link);
        assert.doesNotMatch(shown, icon);
      }
    }
  });

  it('T20 loses hidden characters, but not joiners that emoji and scripts need', () => {
    assert.equal(plainLine('a\u202eb\u200bc\u{e0041}\u0000\u001b[31md', 100), 'abc[31md');
    for (const readable of ['👩‍💻', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '1️⃣', 'می‌خواهم', 'क्‍ष']) {
      assert.equal(plainLine(readable, 100), readable);
    }
  });

  it('is limited in lines and in length', () => {
    assert.equal(plainLine(' a\r\n\r\nb\u2028c\td ', 100), 'a b c d');
    assert.equal(plainText('a\r\nb\n\n\n\nc \n d', 100), 'a\nb\n\nc\nd');
    assert.equal(plainLine('x'.repeat(50), 10), `${'x'.repeat(9)}…`);
    assert.equal(plainLine('😀'.repeat(50), 10), '😀😀😀😀…');
  });

  it('P9 is cut to the shown length if it has a megabyte', () => {
    const shown = plainLine('[x](command:y)\u200b'.repeat(70_000), 100);
    assert.equal(shown.length, 100);
    assert.equal(plainLine('\u200b'.repeat(1_000_000), 100), '…');
  });

  it('stays one entry in a log, without control characters', () => {
    const forged = 'task: failed\n2026-01-01 00:00:00.000 [info] http: all is well\r\u001b[2Kgone\u202e';
    const written = formatLogEntry(forged);
    assert.ok(
      written
        .split('\n')
        .slice(1)
        .every((line) => line.startsWith('    ')),
    );
    assert.ok(written.includes('\\u{1b}[2Kgone\\u{202e}'));
    assert.ok(['\r', '\u001b', '\u202e'].every((character) => !written.includes(character)));
    assert.ok(formatLogEntry('x'.repeat(1_000_000)).length < 30_000);
  });
});

describe('T20 text that is copied from a reply', () => {
  it('does not contain invisible characters', () => {
    const tags = [...'run'].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join('');
    assert.equal(removeHidden(`Safe${tags} \u202Etext\u202C\u200B.\uFEFF`), 'Safe text.');
    assert.equal(removeHidden('rm\u00ad \u2063-i\u3164 a\ufe0f\u061c b\u0008\u001b[2K'), 'rm -i a b[2K');
  });

  it('preserves joiners of emoji and letters, lines and visible characters', () => {
    const family = '\u{1F469}\u200D\u{1F469}\u200D\u{1F467}';
    const persian = 'می\u200Cخواهم';
    assert.equal(removeHidden(`${family} ${persian}`), `${family} ${persian}`);
    assert.equal(removeHidden('a\r\n\tb\u2028[c](d) $(e)'), 'a\n\tb\n[c](d) $(e)');
  });

  it('P9 is complete for a very long reply', () => {
    const text = 'word \u{1F469}\u200D\u{1F467} \u200b'.repeat(50_000);
    assert.equal(removeHidden(text), 'word \u{1F469}\u200D\u{1F467} '.repeat(50_000));
  });
});

describe('external text in Markdown for VS Code', () => {
  const rendered = (text: string) => new MarkdownIt({ linkify: true }).render(escapeMarkdown(text, 1000));
  it('has the same lines as the original', () => {
    assert.equal(rendered('one\ntwo').trim(), '<p>one<br>\ntwo</p>');
  });
});
