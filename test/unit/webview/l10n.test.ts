import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../../../scripts/root.mjs';
import { languageTag, pageWords } from '../../../src/host/kit/pages/pageLanguage.ts';
import { type PageMessages, pageMessages } from '../../support/pageMessages.ts';

const chinese: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('media/l10n/pages.l10n.zh-cn.json', root), 'utf8'),
);

describe('the words of the pages', () => {
  let said: PageMessages;

  before(function () {
    // The compiler starts beside other work.
    this.timeout(60_000);
    said = pageMessages();
  });

  it('all stand in calls of `t`, where they can be looked for', () => {
    assert.deepEqual(said.unmarked, [], 'these stand in a template without `t`');
    assert.deepEqual(
      said.computed,
      [],
      'the first argument of `t` is a text, or one of several by a condition',
    );
  });

  it('are all in Chinese, and nothing else is', () => {
    const known = Object.keys(chinese);
    assert.deepEqual(
      [...said.messages].filter((message) => !known.includes(message)),
      [],
      'media/l10n lacks these',
    );
    assert.deepEqual(
      known.filter((message) => !said.messages.has(message)),
      [],
      'the pages say these no more',
    );
  });

  it('hold no HTML', () => {
    const all = [...said.messages, ...Object.values(chinese)];
    assert.deepEqual(
      all.filter((words) => /[<>]|&\w+;/.test(words)),
      [],
    );
  });

  it('come with the page in Chinese, and are English in every other language', () => {
    const dist = fileURLToPath(new URL('dist', root));
    assert.equal(languageTag('zh-cn'), 'zh-CN');
    assert.deepEqual(JSON.parse(pageWords(dist, 'zh-cn') ?? ''), chinese);
    for (const language of ['en', 'de', 'zh-tw', 'constructor']) {
      assert.equal(languageTag(language), 'en');
      assert.equal(pageWords(dist, language), undefined);
    }
  });
});
