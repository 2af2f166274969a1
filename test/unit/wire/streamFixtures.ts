import { readdirSync, readFileSync } from 'node:fs';
import { ChatCompletionsDecoder } from '../../../src/wire/apis/chatCompletions/readReply.ts';
import type { ChatEvent } from '../../../src/wire/chatEvent.ts';
import type { Conclusion, FormatDecoder } from '../../../src/wire/stream/decodedReply.ts';
import { ReplyDecoder } from '../../../src/wire/stream/replyDecoder.ts';

/** The content and the end of a recorded reply, without the failure's message and body. */
export interface Reading {
  readonly events: readonly ChatEvent[];
  readonly end: {
    readonly kind: Conclusion['kind'];
    readonly failure?: { readonly kind: string; readonly reason?: string; readonly gatewayMessage?: string };
  };
}

export interface StreamFixture {
  readonly name: string;
  readonly bytes: Buffer;
  readonly expected: Reading;
}

/**
 * The recorded replies of test/fixtures/streams: NAME.txt holds the bytes, NAME.json their meaning.
 * Replies of chat completions are in this folder, replies of every other format in a folder with its name.
 */
export function streamFixtures(format = '.'): readonly StreamFixture[] {
  const folder = new URL(`../../fixtures/streams/${format}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txt'))
    .map((file) => ({
      name: file.replace('.txt', ''),
      bytes: readFileSync(new URL(file, folder)),
      expected: JSON.parse(readFileSync(new URL(file.replace('.txt', '.json'), folder), 'utf8')),
    }));
}

/** Decodes a chat completions reply that arrives in these pieces. */
export function decode(...pieces: readonly Uint8Array[]): Reading {
  return decodeWith(new ChatCompletionsDecoder(), ...pieces);
}

/** Decodes a reply of any format that arrives in these pieces. */
export function decodeWith(format: FormatDecoder, ...pieces: readonly Uint8Array[]): Reading {
  const decoder = new ReplyDecoder(format);
  const events = pieces.flatMap((piece) => decoder.write(piece));
  events.push(...decoder.flush());
  const conclusion = decoder.conclude();
  if (!('failure' in conclusion)) return { events, end: conclusion };
  const { kind, reason, gatewayMessage } = conclusion.failure;
  const failure = { kind, ...(reason && { reason }), ...(gatewayMessage && { gatewayMessage }) };
  return { events, end: { kind: conclusion.kind, failure } };
}
