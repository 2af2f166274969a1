import * as z from 'zod';
import { anyObject, count, flag, number, stringField } from '../shared/schemaFields.ts';

// Requests of the chat-completions format, and the types of its replies. readReply.ts reads replies, leniently and
// without zod.

const contentPart = z
  .looseObject({
    type: stringField.describe('Kind of the part, such as text, image_url, input_audio or file.'),
    text: stringField.optional().describe('The text of a part of type text.'),
  })
  .describe('Part of a message: text, a picture, a sound or a file.');

const toolCall = z
  .looseObject({
    id: stringField.describe('Identifier to which the tool message with the result refers.'),
    type: stringField.describe("Kind of the tool, 'function' or 'custom'."),
    function: z
      .looseObject({
        name: stringField.describe('Name of the function to call.'),
        arguments: stringField.describe('Arguments as JSON text.'),
      })
      .optional()
      .describe('The function to call, if the tool is a function.'),
  })
  .describe('A tool call of the model in an earlier turn.');

const message = z
  .looseObject({
    role: z
      .enum(['developer', 'system', 'user', 'assistant', 'tool', 'function'])
      .describe('Role of the author.'),
    content: z
      .union([stringField, z.array(contentPart)])
      .nullish()
      .describe('Content of the message. Required unless the assistant calls tools or refuses.'),
    name: stringField.nullish().describe('Name of the author, to distinguish authors with the same role.'),
    tool_calls: z.array(toolCall).nullish().describe('Tool calls of the assistant in this turn.'),
    tool_call_id: stringField.nullish().describe('The call to which the result in a tool message belongs.'),
  })
  .refine(
    ({ role, content, tool_calls, function_call, refusal }) =>
      content != null ||
      (role === 'assistant' && [tool_calls, function_call, refusal].some((it) => it != null)),
    { path: ['content'], message: 'content must be a string or an array' },
  );

/**
 * The body of POST /v1/chat/completions. This schema validates it in the local gateway, describes it to forms
 * through JSON Schema, and types it in the client. Unknown fields pass through. null means absent, because common
 * client libraries send it.
 */
export const chatCompletionsRequest = z.looseObject({
  model: stringField.min(1).describe('Exact ID from the model list, including case and punctuation.'),
  messages: z.array(message).min(1).describe('The conversation so far, oldest first.'),
  store: flag.nullish().describe('Whether the provider stores the reply.'),
  metadata: z.record(stringField, stringField).nullish().describe('Labels stored with the reply.'),
  modalities: z
    .array(stringField)
    .nullish()
    .describe('Requested kinds of output, such as text, or text and audio.'),
  audio: z
    .looseObject({
      format: z.enum(['wav', 'mp3', 'flac', 'opus', 'pcm16']).optional().describe('Encoding of the sound.'),
      voice: z
        .union([stringField, anyObject])
        .optional()
        .describe('Name of a voice, or an object that specifies one.'),
    })
    .nullish()
    .describe('Speech options, if the modalities include audio.'),
  prediction: anyObject
    .nullish()
    .describe('Text that the reply is expected to repeat mostly unchanged, for speed.'),
  temperature: number('Sampling temperature: 0 is most consistent, higher values are more varied.', 0, 2),
  top_p: number('Cumulative probability of the tokens to sample from; an alternative to temperature.', 0, 1),
  n: count('Number of replies to generate.', 1, 128),
  stream: flag.nullish().describe('Stream the reply as server-sent events.'),
  stream_options: z
    .looseObject({
      include_usage: flag.optional().describe('End the stream with the token counts.'),
      include_obfuscation: flag.optional().describe('Pad events to hide the length of tokens.'),
    })
    .nullish()
    .describe('Options of a streamed reply.'),
  stop: z
    .union([stringField, z.array(stringField)])
    .nullish()
    .describe('Texts at which the model stops; usually at most four.'),
  max_tokens: count('Maximum number of tokens to generate.', 1),
  max_completion_tokens: count('Maximum number of tokens to generate, including reasoning.', 1),
  presence_penalty: number('Values above 0 discourage words that were already used.', -2, 2),
  frequency_penalty: number(
    'Values above 0 discourage words in proportion to how often they were used.',
    -2,
    2,
  ),
  reasoning_effort: stringField.nullish().describe('How much to think first, such as low, medium or high.'),
  logit_bias: z
    .record(stringField, z.number().min(-100).max(100))
    .nullish()
    .describe('Maps token IDs to biases from -100 (never) to 100 (always).'),
  logprobs: flag.nullish().describe('Return the log probability of each token.'),
  top_logprobs: count('Number of most likely tokens to return at each position; requires logprobs.', 0, 20),
  response_format: z
    .looseObject({
      type: z
        .enum(['text', 'json_object', 'json_schema'])
        .describe('Free text, any JSON, or JSON that matches a schema.'),
      json_schema: anyObject.nullish().describe('The name of the schema, and the schema.'),
    })
    .nullish()
    .describe('Format of the reply.'),
  seed: z
    .int()
    .nullish()
    .describe('The same seed and request produce the same reply, as far as the model supports this.'),
  web_search_options: anyObject.nullish().describe('Whether and how the model searches the web.'),
  service_tier: stringField.nullish().describe('Service tier, such as auto, default or flex.'),
  tools: z.array(anyObject).nullish().describe('Functions the model may call.'),
  tool_choice: z
    .union([stringField, anyObject])
    .nullish()
    .describe('none, auto, required, or an object naming the one tool to call.'),
  functions: z
    .array(anyObject)
    .nullish()
    .describe('Functions the model may call (older form of tools).')
    .meta({ deprecated: true }),
  function_call: z
    .union([stringField, anyObject])
    .nullish()
    .describe('none, auto, or an object naming a function (older form of tool_choice).')
    .meta({ deprecated: true }),
  parallel_tool_calls: flag.nullish().describe('Whether several tools may be called in one turn.'),
  safety_identifier: stringField.nullish().describe('Stable, anonymous ID of the end user, to trace misuse.'),
  user: stringField
    .nullish()
    .describe('Stable ID of the end user (older form of safety_identifier).')
    .meta({ deprecated: true }),
  extra_body: z
    .record(
      stringField,
      z.looseObject({
        thinking_config: anyObject.optional().describe('Thinking settings of the provider.'),
      }),
    )
    .nullish()
    .describe('Provider-specific fields by provider name, on routes compatible with the cloud platform.'),
});

/** The body of a request of chat completions. Unknown fields pass through. */
export type ChatCompletionsRequest = z.infer<typeof chatCompletionsRequest>;

export interface ChatCompletionsUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    readonly cache_write_tokens?: number;
    readonly cache_creation_token_details?: object;
  };
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

/** A call of a tool that takes text instead of arguments. */
export interface ChatCompletionsCustomCall {
  readonly id: string;
  readonly type: 'custom';
  readonly custom: { readonly name: string; readonly input: string };
}

/** A picture in a reply. The format does not define any, but gateways agree on this form. */
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
    /** Log probabilities. The local gateway has none. */
    readonly logprobs: null;
  }[];
  readonly usage?: ChatCompletionsUsage;
}

/** A source of the model's text. */
export interface ChatCompletionsAnnotation {
  readonly type: 'url_citation';
  readonly url_citation: {
    readonly url: string;
    readonly title: string;
    readonly start_index: number;
    readonly end_index: number;
  };
}

/** The addition of a chunk to a choice. */
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
