import assert from 'node:assert/strict';
import { textFormat } from '../../../../src/wire/apis/textFormats.ts';
import { ReplyDecoder } from '../../../../src/wire/stream/replyDecoder.ts';
import type { ThinkTags } from '../../../../src/wire/stream/thinkTags.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';
import { streamText } from '../../../support/modelStreams.ts';
import { convert, directions, minimalRequests, names } from './conversions.ts';

/** The reasoning and the text of a reply, as a program without support for tags reads them. */
function read(format: ConvertibleFormat, reply: string): readonly [reasoning: string, text: string] {
  const decoder = new ReplyDecoder(textFormat(format).createDecoder(), 'none');
  const events = [...decoder.write(Buffer.from(reply)), ...decoder.flush()];
  assert.equal(decoder.conclude().kind, 'complete');
  const of = (type: 'reasoning' | 'text') =>
    events.map((event) => (event.type === type ? event.text : '')).join('');
  return [of('reasoning'), of('text')];
}

const forms: readonly (readonly [form: ThinkTags | undefined, reasoning: string, text: string])[] = [
  [undefined, 'Hm, 1 < 2.\n', 'Hello you'],
  ['none', '', '<think>\nHm, 1 < 2.\n</think>\n\nHello you'],
];

describe('reasoning in the text of a converted reply', () => {
  for (const { from, to } of directions) {
    it(`of ${to} becomes reasoning of ${from}, unless its tags are text`, () => {
      const upstreamReply = Buffer.from(streamText(to, '<think>\nHm, 1 < 2.\n</think>\n\nHello you'));
      for (const [thinkTags, ...expected] of forms) {
        const streamed = from === 'contentGeneration' ? {} : { stream: true };
        const request = convert(
          from,
          to,
          { ...minimalRequests[from], ...streamed },
          { framing: 'events', thinkTags },
        );
        const stream = request.createStream(names);
        let text = '';
        for (const byte of upstreamReply) text += stream.write(Buffer.of(byte));
        assert.deepEqual(read(from, text + stream.end()), expected);
        assert.deepEqual(read(from, JSON.stringify(request.convertReply(upstreamReply, names))), expected);
      }
    });
  }
});
