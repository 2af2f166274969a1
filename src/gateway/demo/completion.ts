import { randomUUID } from 'node:crypto';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionDelta,
  ChatCompletionsUsage,
} from '../../wire/shapes/chatCompletions.ts';
import type { Draft } from './draft.ts';

type Head = Pick<ChatCompletionChunk, 'id' | 'created' | 'model'>;

/** What all chunks of one reply have in common. */
export function replyHead(model: string): Head {
  return { id: `chatcmpl-demo-${randomUUID()}`, created: Math.floor(Date.now() / 1000), model };
}

export function usageOf(promptTokens: number, drafts: readonly Draft[]): ChatCompletionsUsage {
  const reasoning = drafts.reduce((sum, draft) => sum + draft.reasoning.length, 0);
  const completion = drafts.reduce((sum, draft) => sum + draft.content.length, reasoning);
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completion,
    total_tokens: promptTokens + completion,
    ...(reasoning > 0 && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  };
}

export function completion(
  head: Head,
  drafts: readonly Draft[],
  usage: ChatCompletionsUsage,
): ChatCompletion {
  return {
    ...head,
    object: 'chat.completion',
    choices: drafts.map(({ reasoning, content, finish }, index) => ({
      index,
      message: {
        role: 'assistant',
        content: content.join(''),
        ...(reasoning.length > 0 && { reasoning_content: reasoning.join('') }),
      },
      finish_reason: finish,
    })),
    usage,
  };
}

/** The chunks before any token: they open each choice. */
export function opening(
  head: Head,
  drafts: readonly Draft[],
  usage: null | undefined,
): readonly ChatCompletionChunk[] {
  return drafts.map((_, index) => chunk(head, index, { role: 'assistant', content: '' }, null, usage));
}

/** The chunks of all tokens, the choices taking turns, each ended by its finish reason. */
export function* tokens(
  head: Head,
  drafts: readonly Draft[],
  usage: null | undefined,
): Generator<ChatCompletionChunk> {
  const writers = drafts.map((draft, index) => choiceTokens(head, draft, index, usage));
  let busy = writers;
  while (busy.length > 0) {
    const still: typeof writers = [];
    for (const writer of busy) {
      const next = writer.next();
      if (next.done) continue;
      yield next.value;
      still.push(writer);
    }
    busy = still;
  }
}

/** The chunk that ends a stream with the token counts. */
export function usageChunk(head: Head, usage: ChatCompletionsUsage): ChatCompletionChunk {
  return { ...head, object: 'chat.completion.chunk', choices: [], usage };
}

function* choiceTokens(
  head: Head,
  { reasoning, content, finish }: Draft,
  index: number,
  usage: null | undefined,
): Generator<ChatCompletionChunk> {
  for (const text of reasoning) yield chunk(head, index, { reasoning_content: text }, null, usage);
  for (const text of content) yield chunk(head, index, { content: text }, null, usage);
  yield chunk(head, index, {}, finish, usage);
}

function chunk(
  head: Head,
  index: number,
  delta: ChatCompletionDelta,
  finish: Draft['finish'] | null,
  usage: null | undefined,
): ChatCompletionChunk {
  return {
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: finish }],
    ...(usage === null && { usage }),
  };
}
