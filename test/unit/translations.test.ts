import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chineseBundle, hostMessages } from '../../scripts/messages.mjs';
import { root } from '../../scripts/root.mjs';

type Words = Readonly<Record<string, string>>;

function readTexts(file: URL): Words {
  return JSON.parse(readFileSync(file, 'utf8'));
}

const bundle = readTexts(chineseBundle);
const pages = readTexts(new URL('media/l10n/pages.l10n.zh-cn.json', root));
const english = readTexts(new URL('package.nls.json', root));
const chinese = readTexts(new URL('package.nls.zh-cn.json', root));

/** Each text with its translation. */
const pairs: readonly (readonly [english: string, chinese: string])[] = [
  ...Object.entries(bundle),
  ...Object.entries(pages),
  ...Object.entries(english).map(([key, text]) => [text, chinese[key] ?? ''] as const),
];

/** The parts that a translation must not change: placeholders, links and their commands, code, and line breaks. */
function listFixedParts(text: string): readonly string[] {
  return [...text.matchAll(/\{\w+\}|\]\([^)]*\)|`[^`]*`|\n|https?:\/\/(?:[\w:@/-]|\.\w)*/g)]
    .map(String)
    .sort();
}

describe('the Simplified Chinese translation', () => {
  it('has every message of the extension host, and no unused message', async function () {
    // The compiler reads the whole source.
    this.timeout(60_000);
    const { messages, unknown } = await hostMessages();
    assert.ok(messages.size > 1700, `only ${messages.size} messages were found`);
    assert.deepEqual(unknown, [], 'name the table of these messages in scripts/messages.mjs');
    const missing = [...messages].filter((message) => !Object.hasOwn(bundle, message));
    assert.deepEqual(missing, [], 'translate these in media/l10n/bundle.l10n.zh-cn.json');
    const unused = Object.keys(bundle).filter((message) => !messages.has(message));
    assert.deepEqual(unused, [], 'remove these from media/l10n/bundle.l10n.zh-cn.json');
  });

  it('has exactly the texts of package.nls.json, in the same order', () => {
    assert.deepEqual(Object.keys(chinese), Object.keys(english), 'same keys, same order');
  });

  it('keeps placeholders, links, commands, code, line breaks and addresses unchanged', () => {
    const different = pairs.filter(([from, to]) => listFixedParts(from).join() !== listFixedParts(to).join());
    assert.deepEqual(different, []);
  });

  it('translates the same text the same way in both files', () => {
    const different = Object.entries(english).filter(
      ([key, text]) => Object.hasOwn(bundle, text) && bundle[text] !== chinese[key],
    );
    assert.deepEqual(different, []);
  });

  it('has no empty texts, uses Chinese punctuation, and has spaces next to Latin letters and digits', () => {
    const misplaced = /\p{sc=Han}(?:[,;?!.]|:(?! )|[\w(])|[\w)]\p{sc=Han}|[，。：；！？、][ ]/u;
    const wrong = pairs.filter(([, to]) => {
      const text = to.replaceAll(/\]\([^)]*\)|\{\w+\} ?/g, ']');
      return text === '' || misplaced.test(text.replaceAll('宽:高', ''));
    });
    assert.deepEqual(wrong, []);
  });

  it('does not use synonyms of its terms', () => {
    const other =
      /网关口|本地端网关|憑|凭证|账[户号]|帐号|提示语|令牌数|别称|话题|侧栏|您|智能代理|插件|命令板|联系方式|预置/;
    assert.deepEqual(
      pairs.filter(([, to]) => other.test(to)),
      [],
      'see media/l10n/README.md',
    );
  });

  it('is shown with numbers and times in the language of VS Code, not of the system', () => {
    const files = globSync('src/host/**/*.ts', { cwd: fileURLToPath(root) });
    const unlocalized = files.filter((file) =>
      /\.toLocale(?:Date|Time)?String\(\)|new Intl\.(?:NumberFormat|DateTimeFormat|ListFormat)\((?:\)|'|undefined)/.test(
        readFileSync(new URL(file, root), 'utf8'),
      ),
    );
    assert.deepEqual(unlocalized, [], 'name vscode.env.language');
  });
});
