import assert from 'node:assert/strict';
import { ChatSink } from '../../../src/client/chatSink.ts';
import { type TextFormatId, textFormat } from '../../../src/wire/apis/textFormats.ts';

type FilteredReply = readonly [format: TextFormatId, word: string, document: object];

/** How providers, and relays in front of them, report in each format that a filter ended the reply. */
const filtered: readonly FilteredReply[] = [
  ...['content_filter', 'SAFETY', 'recitation', 'refusal', 'content_filtered', 'sensitive'].map(
    (word): FilteredReply => [
      'chatCompletions',
      word,
      { id: 'r', choices: [{ index: 0, message: { content: 'Half' }, finish_reason: word }] },
    ],
  ),
  ...['SAFETY', 'RECITATION', 'PROHIBITED_CONTENT'].map(
    (word): FilteredReply => [
      'contentGeneration',
      word,
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Half' }] }, finishReason: word }] },
    ],
  ),
  ...['refusal', 'content_filtered', 'guardrail_intervened'].map(
    (word): FilteredReply => [
      'messages',
      word,
      { type: 'message', id: 'r', content: [{ type: 'text', text: 'Half' }], stop_reason: word },
    ],
  ),
  [
    'responses',
    'content_filter',
    {
      id: 'r',
      object: 'response',
      status: 'incomplete',
      incomplete_details: { reason: 'content_filter' },
      output: [{ type: 'message', content: [{ type: 'output_text', text: 'Half' }] }],
    },
  ],
];

describe('a reply that a content filter ended', () => {
  for (const [format, word, document] of filtered) {
    it(`is recognised in ${format} by the finish reason ${word}`, () => {
      const sink = new ChatSink(textFormat(format).createDecoder(), () => {});
      sink.write(new TextEncoder().encode(JSON.stringify(document)));
      assert.equal(sink.end(), undefined);
      assert.equal(sink.endReason, 'content-filter');
      assert.equal(sink.finishReason, word);
      assert.deepEqual(sink.outcome(undefined), { kind: 'complete' });
    });
  }
});
