import * as z from 'zod';
import { anyObject, count, flag, number, text } from '../format/requestFields.ts';

// Requests of the chat-completions format, and its replies as gateways write them. decode.ts reads replies,
// leniently and without zod.

const contentPart = z
  .looseObject({
    type: text.describe('Kind of the part, such as text, image_url, input_audio or file.'),
    text: text.optional().describe('The text of a part of type text.'),
  })
  .describe('One piece of a message: text, a picture, a sound or a file.');

const toolCall = z
  .looseObject({
    id: text.describe('Identifier the replying tool message refers to.'),
    type: text.describe("Kind of the tool, 'function' or 'custom'."),
    function: z
      .looseObject({
        name: text.describe('Name of the function to call.'),
        arguments: text.describe('Arguments as JSON text.'),
      })
      .optional()
      .describe('The function to call, when it is one.'),
  })
  .describe('A call the model asked for in an earlier turn.');

const message = z
  .looseObject({
    role: z.enum(['developer', 'system', 'user', 'assistant', 'tool', 'function']).describe('Who speaks.'),
    content: z
      .union([text, z.array(contentPart)])
      .nullish()
      .describe('What is said. May be missing only where an assistant calls tools or refuses.'),
    name: text.nullish().describe('Name of the speaker, to tell several of one role apart.'),
    tool_calls: z.array(toolCall).nullish().describe('Tools the assistant called in this turn.'),
    tool_call_id: text.nullish().describe('The call a tool message answers.'),
  })
  .refine(
    ({ role, content, tool_calls, function_call, refusal }) =>
      content != null ||
      (role === 'assistant' && [tool_calls, function_call, refusal].some((it) => it != null)),
    { path: ['content'], message: 'content must be a string or an array' },
  );

/**
 * The body of POST /v1/chat/completions. This schema validates it in the local gateway, describes it to forms
 * through JSON Schema, and types it in the client. Unknown fields pass through. null means absent, as common
 * client libraries send it.
 */
export const chatCompletionsRequest = z.looseObject({
  model: text.min(1).describe('Exact ID from the model list, with its case and punctuation.'),
  messages: z.array(message).min(1).describe('The conversation so far, oldest first.'),
  store: flag.nullish().describe('Whether the provider stores the reply.'),
  metadata: z.record(text, text).nullish().describe('Labels stored with the reply.'),
  modalities: z.array(text).nullish().describe('Requested kinds of output, such as text, or text and audio.'),
  audio: z
    .looseObject({
      format: z.enum(['wav', 'mp3', 'flac', 'opus', 'pcm16']).optional().describe('Encoding of the sound.'),
      voice: z.union([text, anyObject]).optional().describe('Name of a voice, or an object that names one.'),
    })
    .nullish()
    .describe('Speech options, if the modalities include audio.'),
  prediction: anyObject
    .nullish()
    .describe('Text that the reply is expected to repeat mostly unchanged, for speed.'),
  temperature: number('Sampling temperature: 0 is steady, higher is more varied.', 0, 2),
  top_p: number('Share of probability to sample from; an alternative to temperature.', 0, 1),
  n: count('How many replies to write.', 1, 128),
  stream: flag.nullish().describe('Send the reply as server-sent events while it is written.'),
  stream_options: z
    .looseObject({
      include_usage: flag.optional().describe('End the stream with the token counts.'),
      include_obfuscation: flag.optional().describe('Pad events to hide the length of tokens.'),
    })
    .nullish()
    .describe('Options of a streamed reply.'),
  stop: z
    .union([text, z.array(text)])
    .nullish()
    .describe('Text at which the model stops; often four at most.'),
  max_tokens: count('Most tokens to write.', 1),
  max_completion_tokens: count('Most tokens to write, reasoning included.', 1),
  presence_penalty: number('Above 0 discourages words that were already used.', -2, 2),
  frequency_penalty: number('Above 0 discourages words more, the more often they were used.', -2, 2),
  reasoning_effort: text.nullish().describe('How much to think first, such as low, medium or high.'),
  logit_bias: z
    .record(text, z.number().min(-100).max(100))
    .nullish()
    .describe('Token ID to a bias from -100 (never) to 100 (always).'),
  logprobs: flag.nullish().describe('Return the log probability of each token.'),
  top_logprobs: count('How many likely tokens to return at each place; needs logprobs.', 0, 20),
  response_format: z
    .looseObject({
      type: z
        .enum(['text', 'json_object', 'json_schema'])
        .describe('Free text, any JSON, or JSON by a schema.'),
      json_schema: anyObject.nullish().describe('The name of the schema, and the schema.'),
    })
    .nullish()
    .describe('Format of the reply.'),
  seed: z.int().nullish().describe('Same seed and same request: the same reply, as far as the model can.'),
  web_search_options: anyObject.nullish().describe('Whether and how the model searches the web.'),
  service_tier: text.nullish().describe('Class of service, such as auto, default or flex.'),
  tools: z.array(anyObject).nullish().describe('Functions the model may call.'),
  tool_choice: z
    .union([text, anyObject])
    .nullish()
    .describe('none, auto, required, or an object naming the one tool to call.'),
  functions: z
    .array(anyObject)
    .nullish()
    .describe('Functions the model may call (older form of tools).')
    .meta({ deprecated: true }),
  function_call: z
    .union([text, anyObject])
    .nullish()
    .describe('none, auto, or an object naming a function (older form of tool_choice).')
    .meta({ deprecated: true }),
  parallel_tool_calls: flag.nullish().describe('Whether several tools may be called in one turn.'),
  safety_identifier: text.nullish().describe('Stable, anonymous ID of the end user, to trace misuse.'),
  user: text
    .nullish()
    .describe('Stable ID of the end user (older form of safety_identifier).')
    .meta({ deprecated: true }),
  extra_body: z
    .record(
      text,
      z.looseObject({
        thinking_config: anyObject.optional().describe('How the provider lets the model think.'),
      }),
    )
    .nullish()
    .describe('Provider names with their own fields, on cloud-platform compatible routes.'),
});

/** The body of a request of chat completions. Unknown fields pass through. */
export type ChatCompletionsRequest = z.infer<typeof chatCompletionsRequest>;

/** Token counts of the format. */
export interface ChatCompletionsUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number; readonly cache_write_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
}

export type ChatCompletionsFinishReason =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'function_call';

export interface ChatCompletionsToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A call of a tool that takes text in place of arguments. */
export interface ChatCompletionsCustomCall {
  readonly id: string;
  readonly type: 'custom';
  readonly custom: { readonly name: string; readonly input: string };
}

/** A picture in a reply. The format defines none, but gateways agree on this form. */
export interface ChatCompletionsImage {
  readonly type: 'image_url';
  /** A data URL or an address. */
  readonly image_url: { readonly url: string };
  readonly index?: number;
}

/** A reply that is not streamed. */
export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: {
      readonly role: 'assistant';
      readonly content: string | null;
      readonly reasoning_content?: string;
      readonly refusal: string | null;
      readonly tool_calls?: readonly (ChatCompletionsToolCall | ChatCompletionsCustomCall)[];
      readonly images?: readonly ChatCompletionsImage[];
      readonly annotations?: readonly ChatCompletionsAnnotation[];
    };
    readonly finish_reason: ChatCompletionsFinishReason;
    /** Log probabilities, of which the local gateway has none. */
    readonly logprobs: null;
  }[];
  readonly usage?: ChatCompletionsUsage;
}

/** What a chunk adds to a choice. */
/** A source of what the model said. */
export interface ChatCompletionsAnnotation {
  readonly type: 'url_citation';
  readonly url_citation: {
    readonly url: string;
    readonly title: string;
    readonly start_index: number;
    readonly end_index: number;
  };
}

export interface ChatCompletionDelta {
  readonly role?: 'assistant';
  readonly content?: string | null;
  readonly reasoning_content?: string;
  readonly refusal?: string | null;
  readonly images?: readonly ChatCompletionsImage[];
  readonly annotations?: readonly ChatCompletionsAnnotation[];
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly type?: 'function' | 'custom';
    readonly function?: { readonly name?: string; readonly arguments?: string };
    readonly custom?: { readonly name?: string; readonly input?: string };
  }[];
}

/** One event of a streamed reply. The stream ends with the data line `[DONE]`. */
export interface ChatCompletionChunk {
  readonly id: string;
  readonly object: 'chat.completion.chunk';
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly delta: ChatCompletionDelta;
    readonly finish_reason: ChatCompletionsFinishReason | null;
  }[];
  /** With `stream_options.include_usage`: null on every chunk but the last, which has no choices. */
  readonly usage?: ChatCompletionsUsage | null;
}

/** The body of an error, and an error inside a stream. */
export interface ChatCompletionsError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string | null;
  };
}
