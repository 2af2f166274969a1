import assert from 'node:assert/strict';
import { drawnReply } from '../../../../src/webview/chat/drawnReply.ts';
import { StreamingText } from '../../../../src/webview/markdown/streamingText.ts';

describe('what is drawn of a reply', () => {
  it('is its Markdown, where no JSON was asked for, or none came', () => {
    for (const text of [new StreamingText('{"a": 1}'), new StreamingText('Sure! {"a": 1}')])
      assert.equal(drawnReply(text, text.from(0).startsWith('S'), true), text);
  });

  it('is a block of code for JSON, the same one as long as it grows', () => {
    const text = new StreamingText('{');
    assert.equal(drawnReply(text, true, false), text, 'it may become anything');
    text.append('"a":\n1');
    const drawn = drawnReply(text, true, false);
    assert.match(drawn.from(0), /^`{32}json\n\{"a":\n1$/);
    const shown = drawn.length;
    text.append('}');
    assert.equal(drawnReply(text, true, false), drawn);
    assert.equal(drawn.from(shown), '}');
    assert.equal(drawnReply(text, true, true), drawn, 'it has lines of its own');
  });

  it('has a line for each member, once JSON in one line is whole', () => {
    const text = new StreamingText('{"a":1.0,');
    assert.match(drawnReply(text, true, true).from(0), /\n\{"a":1\.0,$/, 'it was cut');
    text.append('"b":[]}');
    assert.match(drawnReply(text, true, false).from(0), /\n\{"a":1\.0,"b":\[\]\}$/);
    const whole = drawnReply(text, true, true);
    assert.match(whole.from(0), /\n\{\n {2}"a": 1\.0,\n {2}"b": \[\]\n\}$/);
    assert.equal(drawnReply(text, true, true), whole);
  });

  it('stays in one line where its indents would be most of it', () => {
    const json = `[${`${'['.repeat(19)}1${']'.repeat(19)},`.repeat(5000)}1]`;
    assert.equal(drawnReply(new StreamingText(json), true, true).from(0).split('\n')[1], json);
  });
});
