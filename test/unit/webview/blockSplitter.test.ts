import assert from 'node:assert/strict';
import fc from 'fast-check';
import { BlockSplitter, maxBlockLength } from '../../../src/webview/markdown/blockSplitter.ts';
import { formatParts, formatText, splitPieces } from '../../support/markdownLines.ts';
import { cutIntoPieces, replyText } from './replyText.ts';

/** The sources of the blocks that are closed after `text` has arrived, before the end of the reply. */
function listClosedSources(text: string): readonly string[] {
  const splitter = new BlockSplitter();
  splitter.push(text);
  const sources: string[] = [];
  while (splitter.hasPending)
    for (const part of splitter.step()) sources.push(part.kind === 'plain' ? part.text : part.source);
  return sources;
}

function createSizes(...values: readonly number[]): fc.Stream<number> {
  return new fc.Stream(values.values());
}

describe('blocks of a reply that arrives in pieces', () => {
  it('are the same as in the whole text, for any split', () => {
    fc.assert(
      fc.property(replyText(), fc.infiniteStream(fc.integer({ min: 1, max: 12 })), (text, cuts) => {
        assert.deepEqual(formatParts(splitPieces(cutIntoPieces(text, cuts))), formatText(text));
      }),
      {
        numRuns: 1000,
        examples: [
          ['```:-:|-:\n--|--\n', createSizes(4, 3, 7)],
          ['~~~--|--\n\n:-:|-:\n', createSizes(12, 10)],
        ],
      },
    );
  });

  it('close at a blank line, or when the next block starts with a complete line', () => {
    assert.deepEqual(listClosedSources('one\n'), []);
    assert.deepEqual(listClosedSources('one\n\n'), ['one\n']);
    assert.deepEqual(listClosedSources('one\n# tw'), []);
    assert.deepEqual(listClosedSources('one\n# two\n'), ['one\n']);
  });

  it('close part by part in a list, a table and a code block', () => {
    assert.deepEqual(listClosedSources('- a\n- b\n- c'), ['- a\n']);
    assert.deepEqual(listClosedSources('|a|b|\n|-|-|\n|1|2|\n|3'), ['|a|b|\n|-|-|\n|1|2|\n']);
    assert.deepEqual(listClosedSources('```ts\nfirst\nsec'), ['```ts\nfirst\n']);
  });

  it('F59 are emitted as plain text of bounded length if they do not end', () => {
    const splitter = new BlockSplitter();
    splitter.push('['.repeat(1_000_000));
    let longest = 0;
    while (splitter.hasPending)
      for (const part of splitter.step())
        longest = Math.max(longest, part.kind === 'plain' ? part.text.length : 0);
    assert.ok(longest > 0 && longest <= maxBlockLength + 4096, `${longest}`);
    assert.equal(splitter.openText, undefined);
  });

  it('end at a blank line if they are too long, and Markdown continues after it', () => {
    const closed = splitPieces([`${'word '.repeat(maxBlockLength)}\n\n# Heading\n`]);
    assert.deepEqual(closed.at(-1), {
      kind: 'blocks',
      source: '# Heading\n',
      continuedContainer: undefined,
      openContainer: undefined,
      isLoose: false,
    });
  });

  it('do not include a last line of only markers before its meaning is known', () => {
    for (const marker of ['-', '*', '1.', '```', '==', '|--', '> -', '#']) {
      const splitter = new BlockSplitter();
      splitter.push(`Words\n${marker}`);
      assert.deepEqual([...splitter.step()], []);
      assert.equal(splitter.openText?.source, 'Words\n', marker);
    }
  });
});
