import assert from 'node:assert/strict';
import { getReplyMarkdown } from '../../../../src/webview/chat/turns/replyMarkdown.ts';
import { StreamingText } from '../../../../src/webview/markdown/streaming/streamingText.ts';

describe('the displayed reply', () => {
  it('is Markdown if no JSON was requested or received', () => {
    for (const text of [new StreamingText('{"a": 1}'), new StreamingText('Sure! {"a": 1}')])
      assert.equal(getReplyMarkdown(text, text.readFrom(0).startsWith('S'), true), text);
  });

  it('is a code block for JSON, and stays the same object while it grows', () => {
    const text = new StreamingText('{');
    assert.equal(getReplyMarkdown(text, true, false), text, 'it may become anything');
    text.append('"a":\n1');
    const drawn = getReplyMarkdown(text, true, false);
    assert.match(drawn.readFrom(0), /^`{32}json\n\{"a":\n1$/);
    const shown = drawn.length;
    text.append('}');
    assert.equal(getReplyMarkdown(text, true, false), drawn);
    assert.equal(drawn.readFrom(shown), '}');
    assert.equal(getReplyMarkdown(text, true, true), drawn, 'it has lines of its own');
  });

  it('has a line for each member when single-line JSON is complete', () => {
    const text = new StreamingText('{"a":1.0,');
    assert.match(getReplyMarkdown(text, true, true).readFrom(0), /\n\{"a":1\.0,$/, 'it was cut');
    text.append('"b":[]}');
    assert.match(getReplyMarkdown(text, true, false).readFrom(0), /\n\{"a":1\.0,"b":\[\]\}$/);
    const markdown = getReplyMarkdown(text, true, true);
    assert.match(markdown.readFrom(0), /\n\{\n {2}"a": 1\.0,\n {2}"b": \[\]\n\}$/);
    assert.equal(getReplyMarkdown(text, true, true), markdown);
  });

  it('stays on one line if it would consist mostly of indentation', () => {
    const json = `[${`${'['.repeat(19)}1${']'.repeat(19)},`.repeat(5000)}1]`;
    assert.equal(getReplyMarkdown(new StreamingText(json), true, true).readFrom(0).split('\n')[1], json);
  });
});
