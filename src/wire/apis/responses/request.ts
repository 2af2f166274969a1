import * as z from 'zod';
import { anyObject, flag, number, text } from '../format/requestFields.ts';

// Requests of the responses format. decode.ts reads replies, leniently and without zod.

const item = z
  .looseObject({
    type: text
      .optional()
      .describe('Kind of the item, such as message, function_call, function_call_output or reasoning.'),
    role: text.optional().describe('Who speaks in a message: user, assistant, system or developer.'),
    content: z
      .union([text, z.array(anyObject)])
      .nullish()
      .describe('What a message says, as text or as parts.'),
  })
  .describe('One thing said or done: a message, a tool call, its result, or reasoning.');

/**
 * The body of POST /v1/responses. This schema validates it, describes it to forms through JSON Schema, and
 * types it in the client. Unknown fields pass through. null means absent, as common client libraries send it.
 */
export const responsesRequest = z.looseObject({
  model: text.min(1).describe('Exact ID from the model list, with its case and punctuation.'),
  input: z
    .union([text, z.array(item)])
    .nullish()
    .describe('The question as text, or the conversation so far as items, oldest first.'),
  instructions: text.nullish().describe('Instructions at the start of the conversation.'),
  conversation: z
    .union([text, anyObject])
    .nullish()
    .describe('Conversation stored on the provider that this turn belongs to: its ID, or an object with it.'),
  include: z
    .array(text)
    .nullish()
    .describe('Further content for the reply, such as reasoning.encrypted_content.'),
  max_output_tokens: z.int().min(1).nullish().describe('Most tokens to write, reasoning included.'),
  metadata: z.record(text, text).nullish().describe('Labels stored with the response.'),
  parallel_tool_calls: flag.nullish().describe('Whether several tools may be called in one turn.'),
  previous_response_id: text.nullish().describe('Stored response that this turn continues.'),
  prompt: z
    .looseObject({
      id: text.optional().describe('Id of the template.'),
      version: text.nullish().describe('Version of the template; the current one when absent.'),
      variables: anyObject.nullish().describe('Name of a variable in the template to its value.'),
    })
    .nullish()
    .describe('Template stored on the provider, with its variables.'),
  reasoning: z
    .looseObject({
      effort: text.nullish().describe('How much to think first, such as low, medium or high.'),
      summary: text.nullish().describe('How to summarize the thinking: auto, concise or detailed.'),
    })
    .nullish()
    .describe('How the model thinks before it answers.'),
  service_tier: text.nullish().describe('Class of service, such as auto, default or flex.'),
  store: flag.nullish().describe('Whether the provider stores the response.'),
  stream: flag.nullish().describe('Send the reply as server-sent events while it is written.'),
  temperature: number('Sampling temperature: 0 is steady, higher is more varied.', 0, 2),
  text: z
    .looseObject({
      format: anyObject
        .nullish()
        .describe('Format of the reply: its type is text, json_object or json_schema.'),
      verbosity: text.nullish().describe('How long the reply should be: low, medium or high.'),
    })
    .nullish()
    .describe('Format and length of the reply.'),
  tool_choice: z
    .union([text, anyObject])
    .nullish()
    .describe('none, auto, required, or an object naming the one tool to call.'),
  tools: z.array(anyObject).nullish().describe('Tools the model may call.'),
  top_p: number('Share of probability to sample from; an alternative to temperature.', 0, 1),
  truncation: text
    .nullish()
    .describe(
      'auto drops the oldest items when the conversation is too long; disabled makes the request fail.',
    ),
  user: text.nullish().describe('Stable, anonymous ID of the end user, to trace misuse.'),
  background: z
    .boolean()
    .nullish()
    .describe('Answer at once and write the response in the background; needs store.'),
});

/** The body of a request of responses. Unknown fields pass through. */
export type ResponsesRequest = z.infer<typeof responsesRequest>;
