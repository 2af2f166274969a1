import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatEvent } from '../../chatEvent.ts';
import type { SaidReasoning, SaidRecorder } from '../../stream/saidRecorder.ts';
import { callFragments, ToolCalls, thoughtSignature } from './toolCalls.ts';

type Call = Record<string, unknown> & { name: string; arguments: string; isCustom: boolean };

type Piece = Record<string, unknown>;

/** Records the message of the first choice, with reasoning under the names by which it came. */
export class ChatCompletionsSaid implements SaidRecorder {
  readonly #texts = new Map<'content' | 'reasoning_content' | 'reasoning' | 'refusal', string>();
  readonly #toolCalls = new ToolCalls();
  readonly #calls: Call[] = [];
  readonly #contents: Piece[] = [];
  readonly #details: Piece[] = [];
  /** The signature of the words, of the one provider that signs them. */
  #signature: string | undefined;

  read({ choices }: JsonObject): void {
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (!isObject(choice) || (choice.index ?? 0) !== 0) continue;
      const delta = choice.delta ?? choice.message;
      if (isObject(delta)) this.#readDelta(delta);
    }
  }

  get reasoning(): SaidReasoning | undefined {
    const isSigned = this.#details.some(({ signature, data }) => signature || data);
    if (isSigned || this.#signature !== undefined) return 'signed';
    const isPlain = this.#texts.has('reasoning_content') || this.#texts.has('reasoning');
    return isPlain || this.#details.length > 0 || this.#contents.some(isThinking) ? 'plain' : undefined;
  }

  said(ids: readonly (string | undefined)[]): readonly JsonObject[] {
    const calls = this.#calls.flatMap(({ name, arguments: args, isCustom, ...call }, nth) => {
      const id = ids[nth];
      if (id === undefined) return [];
      const called = isCustom
        ? { type: 'custom', custom: { name, input: args } }
        : { type: 'function', function: { name, arguments: args } };
      return [{ ...call, id, ...called }];
    });
    const { content = null, ...reasoning } = Object.fromEntries(this.#texts);
    return [
      {
        role: 'assistant',
        content: this.#contents.length > 0 ? this.#contents : content,
        ...reasoning,
        ...(this.#details.length > 0 && { reasoning_details: this.#details }),
        ...(this.#signature && { extra_content: { google: { thought_signature: this.#signature } } }),
        ...(calls.length > 0 && { tool_calls: calls }),
      },
    ];
  }

  #readDelta(delta: JsonObject): void {
    for (const name of ['content', 'reasoning_content', 'reasoning', 'refusal'] as const) {
      const text = nonEmptyString(delta[name]);
      if (text !== undefined) this.#texts.set(name, (this.#texts.get(name) ?? '') + text);
    }
    this.#signature = thoughtSignature(delta.extra_content) ?? this.#signature;
    for (const part of objects(delta.content)) if (part.type !== 'tool_use') join(this.#contents, part);
    for (const detail of objects(delta.reasoning_details)) join(this.#details, detail);
    for (const fragment of callFragments(delta)) this.#readFragment(fragment);
  }

  #readFragment(fragment: JsonObject): void {
    const events: ChatEvent[] = [];
    this.#toolCalls.read({ tool_calls: [fragment] }, 0, events);
    const [event] = events;
    if (event?.type !== 'toolCall') return;
    const call = this.#calls[event.index] ?? { name: '', arguments: '', isCustom: false };
    const beside = Object.entries(fragment).filter(([name]) => !readMembers.has(name));
    this.#calls[event.index] = Object.assign(call, structuredClone(Object.fromEntries(beside)), {
      name: event.name ?? call.name,
      arguments: call.arguments + (event.arguments ?? ''),
      isCustom: call.isCustom || isObject(fragment.custom) || fragment.type === 'custom',
    });
  }
}

/** Members of a fragment that are written anew. */
const readMembers: ReadonlySet<string> = new Set(
  'index id type function custom name arguments input parameters'.split(' '),
);

function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking';
}

const growing: ReadonlySet<string> = new Set(['text', 'summary', 'thinking']);

/** Adds a piece. One of the same kind and position continues the one before; encrypted data comes whole. */
function join(list: Piece[], piece: JsonObject): void {
  const last = list.at(-1);
  const copy: Piece = structuredClone(piece);
  if (
    !last ||
    last.type !== copy.type ||
    last.index !== copy.index ||
    'data' in copy ||
    'image_url' in copy
  ) {
    list.push(copy);
    return;
  }
  for (const [name, value] of Object.entries(copy)) {
    if (value !== null && value !== undefined)
      last[name] = growing.has(name) ? grow(last[name], value) : value;
  }
}

function grow(before: unknown, more: unknown): unknown {
  if (typeof before === 'string' && typeof more === 'string') return before + more;
  if (!Array.isArray(before)) return more;
  for (const piece of objects(more)) join(before, piece);
  return before;
}

function objects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}
