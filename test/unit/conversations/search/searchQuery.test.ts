import assert from 'node:assert/strict';
import { parseQuery } from '../../../../src/conversations/search/searchQuery.ts';

describe('a query of the chat search', () => {
  it('is searched for literally, also with operators of SQLite', () => {
    for (const typed of ['"', '*', '(', 'NEAR(', 'foo-bar', 'AND', 'a*b', '-', "'"]) {
      assert.deepEqual(parseQuery(typed).terms, [typed.toLowerCase()], typed);
    }
  });

  it('is divided at blanks, except in quotes', () => {
    assert.deepEqual(parseQuery('  Crème   "Two  Words" one ').terms, ['creme', 'two  words', 'one']);
  });

  it('has a phrase even if its last quote is missing, and a lone quote is a term', () => {
    assert.deepEqual(parseQuery('one "two Wo').terms, ['one', 'two wo']);
    assert.deepEqual(parseQuery('workspace:"My Pro').filters.workspaces, ['my pro']);
    assert.deepEqual(parseQuery('a " b').terms, ['a', '"', 'b']);
    assert.deepEqual(parseQuery('say("one two').terms, ['say("one', 'two']);
  });

  it('can contain filters', () => {
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
        searchesReasoning: true,
        problems: undefined,
      },
    );
  });

  it('reports invalid filters, also while they are typed', () => {
    const typed = 'before:2030-02-31 after:soon has:video in:text model: workspace:';
    assert.deepEqual(
      parseQuery(typed).problems.map(({ filter, value }) => `${filter}=${value}`),
      ['before=2030-02-31', 'after=soon', 'has=video', 'in=text', 'model=', 'workspace='],
    );
  });

  it('treats text that only looks like a filter as terms', () => {
    assert.deepEqual(parseQuery('http://a.b std::vector "model:x"').terms, [
      'http://a.b',
      'std::vector',
      'model:x',
    ]);
  });
});
