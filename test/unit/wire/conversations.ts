import fc from 'fast-check';
import { servedFormats } from '../../../src/wire/apis/servedFormats.ts';
import { lenientNotes } from '../../../src/wire/apis/shared/receivedRequest.ts';
import type { TextFormatId } from '../../../src/wire/apis/textFormats.ts';
import type { Message, MessagePart } from '../../../src/wire/message.ts';

type Arbitrary = fc.Arbitrary<MessagePart>;

/** A copy without the null prototypes that fast-check creates. */
function copyPlain(messages: readonly Message[]): readonly Message[] {
  return JSON.parse(JSON.stringify(messages));
}

const arbitraryText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 20 }),
  fc.constantFrom('Hi', 'é 懶狗 👩‍👩‍👧', '{"a":1}', 'data:image/png;base64,AA==', '__proto__', '\u0000'),
);
const text: Arbitrary = fc.record({
  type: fc.constant('text'),
  text: arbitraryText.filter((each) => each.trim() !== ''),
});
const image: Arbitrary = fc.record({
  type: fc.constant('image'),
  mimeType: fc.constantFrom('image/png', 'image/jpeg'),
  data: fc.base64String({ minLength: 4, maxLength: 16 }),
});
const signature = fc.base64String({ minLength: 4, maxLength: 16 });
const thinking: Arbitrary = fc.oneof(
  fc.record({ type: fc.constant('reasoning'), text: fc.string(), signature }),
  fc.record({
    type: fc.constant('reasoning'),
    text: fc.constant(''),
    signature: signature.map((data) => `redacted_thinking:${data}`),
  }),
);
const thought: Arbitrary = fc.record({ type: fc.constant('reasoning'), text: arbitraryText });

/** Arguments as a provider writes them when JSON is requested. */
const json = fc
  .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value));

/** The parts of an assistant's turn that a format can represent. */
export interface FormatFeatures {
  readonly reasoning: 'signed' | 'plain' | 'none';
  readonly hasSignedCalls: boolean;
  /** Arguments that are not JSON, as models sometimes write them. */
  readonly hasInvalidArguments: boolean;
}

/**
 * Conversations that a format can represent completely: user and assistant alternate, and every result belongs
 * to a call.
 */
export function representableConversations(features: FormatFeatures): fc.Arbitrary<readonly Message[]> {
  const reasoning = fc.array(features.reasoning === 'signed' ? thinking : thought, {
    maxLength: { signed: 2, plain: 1, none: 0 }[features.reasoning],
  });
  const texts = fc.array(text, { maxLength: 2 });
  const names = fc.array(fc.constantFrom('read_file', 'list', '__proto__', 'x'), { maxLength: 3 });
  const details = fc.record({
    arguments: features.hasInvalidArguments ? fc.oneof(json, arbitraryText) : json,
    ...(features.hasSignedCalls && { signature: fc.option(signature, { nil: undefined }) }),
  });
  const turn = fc.record({
    question: fc.array(fc.oneof(text, image), { minLength: 1, maxLength: 3 }),
    before: fc.tuple(reasoning, texts).map((parts) => parts.flat()),
    names,
    details: fc.array(details, { minLength: 3, maxLength: 3 }),
    results: fc.array(fc.string(), { minLength: 3, maxLength: 3 }),
    reply: text,
  });
  return fc
    .tuple(
      fc.option(fc.array(text, { minLength: 1, maxLength: 2 })),
      fc.array(turn, { minLength: 1, maxLength: 4 }),
    )
    .map(([system, turns]) => {
      const messages: Message[] = system ? [{ role: 'system', parts: system }] : [];
      let replies: readonly MessagePart[] = [];
      for (const [at, { question, before, names, details, results, reply }] of turns.entries()) {
        const calls = names.map((name, nth) => {
          const { signature, ...rest } = { signature: undefined, ...details[nth] };
          return {
            type: 'toolCall',
            id: `call_${at}_${nth}`,
            name,
            arguments: '{}',
            ...rest,
            ...(signature && { signature }),
          } as const;
        });
        const parts = before.length + calls.length > 0 ? [...before, ...calls] : [reply];
        messages.push({ role: 'user', parts: [...replies, ...question] }, { role: 'assistant', parts });
        replies = calls.map(({ id, name }, nth) => ({
          type: 'toolResult',
          id,
          name,
          text: results[nth] ?? '',
        }));
      }
      return copyPlain(messages);
    });
}

const anyPart: Arbitrary = fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.string() }),
  fc.record({
    type: fc.constant('image'),
    mimeType: fc.constantFrom('image/png', 'image/tiff', ''),
    data: fc.string(),
  }),
  fc.record({ type: fc.constant('reasoning'), text: fc.string(), signature: arbitraryText }),
  fc.record({ type: fc.constant('reasoning'), text: fc.string() }),
  fc.record({
    type: fc.constant('toolCall'),
    id: arbitraryText,
    name: arbitraryText,
    arguments: fc.string(),
    signature: arbitraryText,
  }),
  fc.record({ type: fc.constant('toolResult'), id: arbitraryText, name: arbitraryText, text: fc.string() }),
);

/** Messages with any parts in any order, which formats cannot represent completely. */
export const anyMessages: fc.Arbitrary<readonly Message[]> = fc
  .array(
    fc.record({
      role: fc.constantFrom('system', 'user', 'assistant'),
      parts: fc.array(anyPart, { maxLength: 4 }),
    }),
    { maxLength: 5 },
  )
  .map(copyPlain);

/** The conversation of a request, as the demo reads it. */
export function decodeConversation(format: TextFormatId, request: object): readonly Message[] {
  const { messages } = servedFormats[format].read(request, lenientNotes, { shared: [], isStreamed: false });
  return messages.map(({ role, parts }) => ({
    role,
    parts: parts.map(({ path: _, ...part }) => part as MessagePart),
  }));
}

/** The messages with adjacent texts merged, because formats split texts in different ways. */
export function mergeTexts(messages: readonly Message[]): readonly Message[] {
  return messages.map(({ role, parts }) => {
    const together: MessagePart[] = [];
    for (const part of parts) {
      const last = together.at(-1);
      if (part.type === 'text' && last?.type === 'text')
        together[together.length - 1] = { type: 'text', text: last.text + part.text };
      else together.push(part);
    }
    return { role, parts: together };
  });
}
