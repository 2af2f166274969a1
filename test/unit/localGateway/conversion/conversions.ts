import assert from 'node:assert/strict';
import { type ConvertedRequest, findConversion } from '../../../../src/localGateway/conversion/conversion.ts';
import { HttpError } from '../../../../src/localGateway/http/httpError.ts';
import type { ReplyFraming } from '../../../../src/localGateway/upstreams/upstream.ts';
import type { CacheSupport } from '../../../../src/wire/apis/shared/promptCaching.ts';
import type { ThinkTags } from '../../../../src/wire/stream/thinkTags.ts';
import type { ConvertibleFormat } from '../../../support/convertibleFormat.ts';

export const convertible: readonly ConvertibleFormat[] = [
  'chatCompletions',
  'contentGeneration',
  'messages',
  'responses',
];

/** Every direction, from the format of the caller to that of the upstream. */
export const directions = convertible.flatMap((from) =>
  convertible.filter((to) => to !== from).map((to) => ({ from, to })),
);

export const names = {
  id: 'reply-of-test',
  createdAt: new Date('2026-11-23T00:00:00Z'),
  requestId: 'request-of-test',
};

/** A minimal request of each format. */
export const minimalRequests: Readonly<Record<ConvertibleFormat, object>> = {
  chatCompletions: { model: 'm', messages: [{ role: 'user', content: 'Hi' }] },
  contentGeneration: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] },
  messages: { model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] },
  responses: { model: 'm', input: 'Hi' },
};

export interface ConversionTarget {
  readonly model?: string;
  readonly framing?: ReplyFraming;
  readonly thinkTags?: ThinkTags | undefined;
  readonly caching?: CacheSupport;
}

/** Converts a request of `from`. */
export function convert(
  from: ConvertibleFormat,
  to: ConvertibleFormat,
  body: object,
  { model = 'm', framing, thinkTags, caching }: ConversionTarget = {},
): ConvertedRequest {
  const conversion = findConversion(from, to);
  assert.ok(conversion);
  const bytes = new TextEncoder().encode(JSON.stringify(body));
  return conversion.convertRequest(bytes, { model, framing, thinkTags, caching });
}

/** The error that the work throws. */
export function catchRefusal(work: () => unknown): HttpError {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof HttpError, String(error));
    return error;
  }
  assert.fail('it should have been refused');
}

/** A request with these fields as the upstream receives it, without its conversation. */
export function convertFields(
  from: ConvertibleFormat,
  to: ConvertibleFormat,
  fields: object,
  target: ConversionTarget = {},
) {
  const { body, dropped } = convert(from, to, { ...minimalRequests[from], ...fields }, target);
  const { messages: _, contents: __, input: ___, ...others } = body as Record<string, unknown>;
  return { fields: others, dropped };
}

/** The fields that are sent to the upstream in addition to the conversation. */
export function fieldsSent(
  from: ConvertibleFormat,
  to: ConvertibleFormat,
  fields: object,
  target: ConversionTarget = {},
) {
  return convertFields(from, to, fields, target).fields;
}
