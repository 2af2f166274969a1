import { readFileSync } from 'node:fs';
import type {
  MessageRecord,
  PartRecord,
  PortableConversation,
} from '../../src/conversations/conversation/conversationRecord.ts';
import { importConversations } from '../../src/conversations/formats/importConversations.ts';
import type { ByteSource } from '../../src/conversations/formats/reading/byteSource.ts';
import type { ImportEvent } from '../../src/conversations/formats/reading/importEvent.ts';
import { inEnglish } from '../../src/wire/explanations/explanation.ts';

/** Reads a file as another program writes it. */
export function readFixture(name: string): Buffer {
  // Not at the start: the bundle of a test for a window does not have this address.
  return readFileSync(new URL(`../fixtures/conversations/${name}`, import.meta.url));
}

const chunkBytes = 256 * 1024;

/** Creates the source of a file in memory. */
export function createMemorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async *read(start = 0, end = bytes.length) {
      for (let offset = start; offset < end; offset += chunkBytes) {
        yield bytes.subarray(offset, Math.min(end, offset + chunkBytes));
      }
    },
  };
}

/** The complete result of an import. */
export interface Imported {
  readonly events: readonly ImportEvent[];
  readonly conversations: readonly PortableConversation[];
  /** The ids of the problems, each with its position. */
  readonly problems: readonly string[];
  /** The warnings of all conversations, as texts. */
  readonly warnings: readonly string[];
}

/** Imports a file: its bytes, its text, or a value that is serialized as JSON. */
export async function importAll(
  file: unknown,
  options: Parameters<typeof importConversations>[1] = {},
): Promise<Imported> {
  const bytes =
    file instanceof Uint8Array ? file : Buffer.from(typeof file === 'string' ? file : JSON.stringify(file));
  const events: ImportEvent[] = [];
  for await (const event of importConversations(createMemorySource(bytes), { now: 1, ...options }))
    events.push(event);
  return {
    events,
    conversations: events.flatMap((event) => (event.type === 'conversation' ? [event.imported] : [])),
    problems: events.flatMap((event) => (event.type === 'problem' ? [formatProblem(event)] : [])),
    warnings: events.flatMap((event) => (event.type === 'conversation' ? event.warnings.map(inEnglish) : [])),
  };
}

function formatProblem({ problem, location }: Extract<ImportEvent, { type: 'problem' }>): string {
  const { file, conversation, title, line } = location;
  const words = [file, conversation && `#${conversation}`, title && `“${title}”`, line && `line ${line}`];
  return [problem.id, ...words.filter(Boolean)].join(' ');
}

/** Formats a conversation as lines: each message after its parent. */
export function formatOutline({ messages, conversation }: PortableConversation): readonly string[] {
  const depths = new Map<string, number>();
  return messages.map(({ id, parent, role, state, choices, request }) => {
    const depth = parent === undefined ? 0 : (depths.get(parent) ?? Number.NaN) + 1;
    depths.set(id, depth);
    const notes = [
      state === 'stopped' && 'stopped',
      request?.model,
      request && request.outcome !== 'complete' && request.outcome,
    ];
    const details = notes.filter(Boolean).join(', ');
    const mark = id === conversation.head ? '* ' : '';
    const words = formatParts({ choices }).join(' | ');
    return `${'  '.repeat(depth)}${mark}${id} ${role}${details ? ` (${details})` : ''}: ${words}`;
  });
}

/** Describes each part of a message in a few words. */
export function formatParts(message: Pick<MessageRecord, 'choices'> | undefined): readonly string[] {
  return (message?.choices[0] ?? []).map(formatPart);
}

function formatPart(part: PartRecord): string {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text;
    case 'reasoning':
      return `reasoning(${part.text})`;
    case 'toolCall':
      return `call(${part.id} ${part.name} ${part.arguments})`;
    case 'toolResult':
      return `result(${part.id} ${part.name} ${part.text.trim()})`;
    case 'image':
    case 'file':
      return `${part.type}(${part.name ?? ''} ${part.mimeType})`;
    case 'citation':
      return `citation(${part.url})`;
    default:
      if (part.value.missing === 'attachment') return `missing(${part.value.name ?? ''})`;
      return `other(${Object.keys(part.value).join(' ')})`;
  }
}
