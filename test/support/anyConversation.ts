import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type {
  ChatRequestRecord,
  ConversationRecord,
  MessageRecord,
  PartRecord,
  PortableConversation,
} from '../../src/conversations/conversation/conversationRecord.ts';

const latestTime = 253_402_300_799_999;

/** Texts with lone surrogates, control characters and everything else. */
const text = fc.string({ unit: 'binary', maxLength: 40 });
const anyText = fc.oneof(text, fc.constantFrom('\ud800', '\0', '\u2028', '\u202e<script>', '"\\\n', ''));
const time = fc.integer({ min: 0, max: latestTime });
const count = fc.nat();
const json = fc.dictionary(fc.oneof(text, fc.constantFrom('__proto__', '10', '9')), fc.jsonValue(), {
  maxKeys: 3,
  noNullPrototype: true,
});

/** Every member of a record, present or absent. */
function recordWith<T extends object>(
  model: { [K in keyof T]-?: fc.Arbitrary<T[K]> },
  required: (keyof T)[],
) {
  return fc.record<T, keyof T>(model, { requiredKeys: required }) as fc.Arbitrary<T>;
}

const request: fc.Arbitrary<ChatRequestRecord> = recordWith<ChatRequestRecord>(
  {
    id: anyText,
    gateway: anyText,
    gatewayName: anyText,
    model: anyText,
    replyModel: anyText,
    format: anyText,
    systemPrompt: anyText,
    parameters: json,
    requestedAt: time,
    outcome: fc.constantFrom('complete', 'truncated', 'pending', 'interrupted', 'cancelled', 'failed'),
    error: json,
    endReason: anyText,
    finishReason: anyText,
    gatewayRequestId: anyText,
    replyId: anyText,
    firstTokenMs: count,
    reasoningMs: count,
    totalMs: fc.double({ min: 0, max: 1e6, noNaN: true }),
    usage: fc.record(
      {
        inputTokens: count,
        outputTokens: count,
        reasoningTokens: count,
        cachedTokens: count,
        cacheWriteTokens: count,
      },
      { requiredKeys: [] },
    ),
    serviceTier: anyText,
    cost: fc.record({
      usd: fc.double({ min: 0, max: 1e6, noNaN: true }),
      source: fc.constantFrom('gateway', 'user-price', 'listed-price'),
    }),
  },
  ['id', 'model', 'requestedAt'],
);

const bytes = fc.uint8Array({ maxLength: 30 });
const createPart = (hashes: readonly string[]): fc.Arbitrary<PartRecord> =>
  fc.oneof<fc.Arbitrary<PartRecord>[]>(
    fc.record({ type: fc.constant('text'), text: anyText }),
    recordWith<PartRecord & { type: 'reasoning' }>(
      { type: fc.constant('reasoning'), text: anyText, signature: anyText },
      ['type', 'text'],
    ),
    fc.record({ type: fc.constant('toolCall'), id: anyText, name: anyText, arguments: anyText }),
    fc.record({ type: fc.constant('toolResult'), id: anyText, name: anyText, text: anyText }),
    fc.record({ type: fc.constant('refusal'), text: anyText }),
    recordWith<PartRecord & { type: 'citation' }>(
      { type: fc.constant('citation'), url: anyText, title: anyText },
      ['type'],
    ),
    fc.record({ type: fc.constant('other'), value: json }),
    ...(hashes.length === 0
      ? []
      : [
          recordWith<PartRecord & { type: 'image' | 'file' }>(
            {
              type: fc.constantFrom('image', 'file'),
              mimeType: anyText,
              hash: fc.constantFrom(...hashes),
              name: anyText,
              language: anyText,
            },
            ['type', 'mimeType', 'hash'],
          ),
        ]),
  );

function createMessage(nth: number, hashes: readonly string[]): fc.Arbitrary<MessageRecord> {
  const earlier = fc.integer({ min: 0, max: Math.max(0, nth - 1) }).map((at) => `m${at}`);
  return recordWith<MessageRecord>(
    {
      id: fc.constant(`m${nth}`),
      parent: earlier,
      role: fc.constantFrom('system', 'user', 'assistant', 'tool'),
      createdAt: time,
      state: fc.constantFrom('done', 'stopped'),
      choices: fc.array(fc.array(createPart(hashes), { maxLength: 3 }), { maxLength: 2 }),
      request,
      editOf: earlier,
      lastChild: fc.constant(`m${nth + 1}`),
      extra: json,
    },
    nth === 0
      ? ['id', 'role', 'createdAt', 'state', 'choices']
      : ['id', 'parent', 'role', 'createdAt', 'state', 'choices'],
  ).map((each) => {
    if (nth > 0) return each;
    const { parent: _, editOf: __, ...root } = each;
    return root;
  });
}

const conversation: fc.Arbitrary<ConversationRecord> = recordWith<ConversationRecord>(
  {
    id: fc.uuid(),
    title: anyText,
    createdAt: time,
    changedAt: time,
    head: fc.constant('m0'),
    compared: fc.array(fc.constantFrom('m0', 'm1', 'gone'), { maxLength: 3 }),
    workspace: anyText,
    gateway: anyText,
    gatewayName: anyText,
    model: anyText,
    format: anyText,
    parameters: json,
    pinnedAt: time,
    archivedAt: time,
    deletedAt: time,
    origin: fc.record({ source: fc.constantFrom('chatgpt', 'claude'), id: anyText }),
    forkOf: fc.uuid(),
    extra: json,
  },
  ['id', 'title', 'createdAt', 'changedAt'],
);

/** Any conversation that the store may contain. */
export const anyConversation: fc.Arbitrary<PortableConversation> = fc
  .tuple(conversation, fc.array(bytes, { maxLength: 2 }), fc.nat({ max: 6 }))
  .chain(([record, contents, size]) => {
    const attachments = [...new Map(contents.map((each) => [sha256(each), each]))].map(([hash, each]) => ({
      hash,
      bytes: each,
    }));
    const hashes = attachments.map(({ hash }) => hash);
    const all = Array.from({ length: size }, (_, nth) => createMessage(nth, hashes));
    return fc.tuple(...all).map((messages) => {
      const { head: _, deletedAt: __, ...others } = record;
      const head = messages.at(-1)?.id;
      return { conversation: { ...others, ...(head !== undefined && { head }) }, messages, attachments };
    });
  });

function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
