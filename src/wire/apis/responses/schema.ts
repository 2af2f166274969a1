import * as z from 'zod';
import { anyObject, flag, number, stringField } from '../shared/schemaFields.ts';

// Requests of the responses format. readReply.ts reads replies, leniently and without zod.

const item = z
  .looseObject({
    type: stringField
      .optional()
      .describe('Kind of the item, such as message, function_call, function_call_output or reasoning.'),
    role: stringField
      .optional()
      .describe('Role of the author of a message: user, assistant, system or developer.'),
    content: z
      .union([stringField, z.array(anyObject)])
      .nullish()
      .describe('Content of a message, as text or as parts.'),
  })
  .describe('Item of the conversation: a message, a tool call, its result, or reasoning.');

/**
 * The body of POST /v1/responses. This schema validates it, describes it to forms through JSON Schema, and types
 * it in the client. Unknown fields pass through. null means absent, because common client libraries send it.
 */
export const responsesRequest = z.looseObject({
  model: stringField.min(1).describe('Exact ID from the model list, including case and punctuation.'),
  input: z
    .union([stringField, z.array(item)])
    .nullish()
    .describe('The question as text, or the conversation so far as items, oldest first.'),
  instructions: stringField.nullish().describe('Instructions at the start of the conversation.'),
  conversation: z
    .union([stringField, anyObject])
    .nullish()
    .describe('This turn’s conversation on the provider: its ID, or an object that contains the ID.'),
  include: z
    .array(stringField)
    .nullish()
    .describe('Additional data to include in the reply, such as reasoning.encrypted_content.'),
  max_output_tokens: z
    .int()
    .min(1)
    .nullish()
    .describe('Maximum number of tokens to generate, including reasoning.'),
  metadata: z.record(stringField, stringField).nullish().describe('Labels stored with the response.'),
  parallel_tool_calls: flag.nullish().describe('Whether several tools may be called in one turn.'),
  previous_response_id: stringField.nullish().describe('Stored response that this turn continues.'),
  prompt: z
    .looseObject({
      id: stringField.optional().describe('ID of the template.'),
      version: stringField.nullish().describe('Version of the template; defaults to the current one.'),
      variables: anyObject.nullish().describe('Values of the template’s variables, by name.'),
    })
    .nullish()
    .describe('Template stored on the provider, with its variables.'),
  reasoning: z
    .looseObject({
      effort: stringField.nullish().describe('How much to think first, such as low, medium or high.'),
      summary: stringField.nullish().describe('How to summarize the thinking: auto, concise or detailed.'),
    })
    .nullish()
    .describe('How the model thinks before it replies.'),
  service_tier: stringField.nullish().describe('Service tier, such as auto, default or flex.'),
  store: flag.nullish().describe('Whether the provider stores the response.'),
  stream: flag.nullish().describe('Stream the reply as server-sent events.'),
  temperature: number('Sampling temperature: 0 is most consistent, higher values are more varied.', 0, 2),
  text: z
    .looseObject({
      format: anyObject
        .nullish()
        .describe('Format of the reply: its type is text, json_object or json_schema.'),
      verbosity: stringField.nullish().describe('How long the reply should be: low, medium or high.'),
    })
    .nullish()
    .describe('Format and length of the reply.'),
  tool_choice: z
    .union([stringField, anyObject])
    .nullish()
    .describe('none, auto, required, or an object naming the one tool to call.'),
  tools: z.array(anyObject).nullish().describe('Tools the model may call.'),
  top_p: number('Cumulative probability of the tokens to sample from; an alternative to temperature.', 0, 1),
  truncation: stringField
    .nullish()
    .describe(
      'auto drops the oldest items when the conversation is too long; disabled makes the request fail.',
    ),
  user: stringField.nullish().describe('Stable, anonymous ID of the end user, to trace misuse.'),
  background: flag
    .nullish()
    .describe('Return immediately and generate the response in the background; requires store.'),
});

/** The body of a request of responses. Unknown fields pass through. */
export type ResponsesRequest = z.infer<typeof responsesRequest>;
