import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../../scripts/root.mjs';
import { readPageWords, toLanguageTag } from '../../../src/host/kit/pages/pageDocument.ts';
import { type PageMessages, readPageMessages } from '../../support/pageMessages.ts';

const chinese: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('media/l10n/pages.l10n.zh-cn.json', root), 'utf8'),
);

describe('the messages of the pages', () => {
  let used: PageMessages;

  before(function () {
    // The compiler starts slowly when other work runs at the same time.
    this.timeout(60_000);
    used = readPageMessages();
  });

  it('are all arguments of `t` that can be found in the source', () => {
    assert.deepEqual(used.unmarked, [], 'these are in a template without `t`');
    assert.deepEqual(
      used.computed,
      [],
      'the first argument of `t` is a text, or one of several by a condition',
    );
  });

  it('all have a Chinese translation, and no translation is unused', () => {
    const known = Object.keys(chinese);
    assert.deepEqual(
      [...used.messages].filter((message) => !known.includes(message)),
      [],
      'translate these in media/l10n',
    );
    assert.deepEqual(
      known.filter((message) => !used.messages.has(message)),
      [],
      'the pages do not use these',
    );
  });

  it('contain no HTML', () => {
    const all = [...used.messages, ...Object.values(chinese)];
    assert.deepEqual(
      all.filter((words) => /[<>]|&\w+;/.test(words)),
      [],
    );
  });

  it('are sent to a page in Chinese, and stay English in every other language', () => {
    const dist = fileURLToPath(new URL('dist', root));
    assert.equal(toLanguageTag('zh-cn'), 'zh-CN');
    assert.deepEqual(JSON.parse(readPageWords(dist, 'zh-cn') ?? ''), chinese);
    for (const language of ['en', 'de', 'zh-tw', 'constructor']) {
      assert.equal(toLanguageTag(language), 'en');
      assert.equal(readPageWords(dist, language), undefined);
    }
  });
});
