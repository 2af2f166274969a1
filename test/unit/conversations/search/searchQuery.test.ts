import assert from 'node:assert/strict';
import { parseQuery } from '../../../../src/conversations/search/searchQuery.ts';

describe('what is typed into the search of chats', () => {
  it('is looked for as it stands, whatever it means to SQLite', () => {
    for (const typed of ['"', '*', '(', 'NEAR(', 'foo-bar', 'AND', 'a*b', '-', "'"]) {
      assert.deepEqual(parseQuery(typed).terms, [typed.toLowerCase()], typed);
    }
  });

  it('is divided at blanks, but for what stands in quotes', () => {
    assert.deepEqual(parseQuery('  Crème   "Two  Words" one ').terms, ['creme', 'two  words', 'one']);
  });

  it('is a phrase already while its last quote is missing, but a quote alone is one', () => {
    assert.deepEqual(parseQuery('one "two Wo').terms, ['one', 'two wo']);
    assert.deepEqual(parseQuery('workspace:"My Pro').filters.workspaces, ['my pro']);
    assert.deepEqual(parseQuery('a " b').terms, ['a', '"', 'b']);
    assert.deepEqual(parseQuery('say("one two').terms, ['say("one', 'two']);
  });

  it('has filters', () => {
    const { terms, filters, problems } = parseQuery(
      'why model:GPT workspace:"My Project" before:2030-02 after:2029 has:image in:reasoning',
    );
    assert.deepEqual(terms, ['why']);
    assert.deepEqual(problems, []);
    assert.deepEqual(
      { ...filters, problems: undefined },
      {
        models: ['gpt'],
        workspaces: ['my project'],
        before: new Date(2030, 1, 1).getTime(),
        after: new Date(2029, 0, 1).getTime(),
        hasImage: true,
        inReasoning: true,
        problems: undefined,
      },
    );
  });

  it('says which filters are wrong, also while they are typed', () => {
    const typed = 'before:2030-02-31 after:soon has:video in:text model: workspace:';
    assert.deepEqual(
      parseQuery(typed).problems.map(({ filter, value }) => `${filter}=${value}`),
      ['before=2030-02-31', 'after=soon', 'has=video', 'in=text', 'model=', 'workspace='],
    );
  });

  it('takes what only looks like a filter as words', () => {
    assert.deepEqual(parseQuery('http://a.b std::vector "model:x"').terms, [
      'http://a.b',
      'std::vector',
      'model:x',
    ]);
  });
});
