import { parseForWriting } from '../../../base/json.ts';
import { type TextFormatId, textFormat } from '../../../wire/apis/textFormats.ts';
import { ReplyDecoder } from '../../../wire/stream/replyDecoder.ts';
import { invalidReply } from '../../upstreams/upstreamFailure.ts';
import { marked } from './convertedStream.ts';
import { failedReply, unwritableReply } from './failedReply.ts';
import { type ExpectedReply, ReplyBody } from './replyBody.ts';
import type { ReplyForm } from './replyForm.ts';

/**
 * The body of a reply that is not streamed, in the caller's format.
 *
 * @param format of the upstream
 * @throws {HttpError} when the upstream's reply is an error, is cut, or holds what the format has no place for
 */
export function convertedReply(
  bytes: Uint8Array,
  format: TextFormatId,
  form: ReplyForm,
  expected: ExpectedReply,
): object {
  const decoder = new ReplyDecoder(textFormat(format).createDecoder(parseForWriting));
  const events = [...decoder.write(bytes), ...decoder.flush()];
  const conclusion = decoder.conclude();
  if (conclusion.kind === 'failed') throw failedReply(conclusion.failure, form);
  if (conclusion.kind === 'interrupted')
    throw invalidReply('The upstream’s reply ended before it was whole.', 'upstream_reply_cut');
  const body = new ReplyBody(expected, events[0]);
  try {
    for (const event of events) body.read(marked(event, format, expected));
    body.end(conclusion.kind === 'truncated');
    return form.whole(body.facts, body.choices);
  } catch (error) {
    throw unwritableReply(error);
  }
}
