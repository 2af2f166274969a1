import * as z from 'zod';
import { anyObject, flag, stringField } from '../shared/schemaFields.ts';

// Requests of the messages format, to a provider and through a cloud platform. readReply.ts reads replies,
// leniently and without zod.

const contentBlock = z
  .looseObject({
    type: stringField.describe('Kind of the block, such as text, image, tool_use, tool_result or thinking.'),
    text: stringField.optional().describe('The text of a block of type text.'),
  })
  .describe('Part of a message: text, a picture, a tool call, its result, or thinking.');

const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']).describe('Role of the author.'),
  content: z
    .union([stringField, z.array(contentBlock)])
    .describe('Content of the message, as text or as blocks.'),
});

const tool = z
  .looseObject({
    name: stringField.min(1).describe('Name by which the model calls the tool.'),
    description: stringField.optional().describe('What the tool does and when to use it.'),
    input_schema: z
      .looseObject({
        type: stringField.describe("Kind of the input, always 'object'."),
        properties: anyObject.nullish().describe('JSON Schemas of the members, by name.'),
        required: z.array(stringField).nullish().describe('Names of the required members.'),
      })
      .optional()
      .describe('JSON Schema of the input. Tools that the provider runs itself have none.'),
  })
  .describe('A tool the model may call.');

/** The fields that both bodies share. */
const common = {
  messages: z.array(message).min(1).describe('The conversation so far, oldest first.'),
  max_tokens: z.int().min(1).describe('Maximum number of tokens to generate, including thinking.'),
  system: z
    .union([
      stringField,
      z.array(
        z.looseObject({
          type: stringField.describe("Kind of the block, 'text'."),
          text: stringField.describe('The instructions.'),
        }),
      ),
    ])
    .optional()
    .describe('Instructions at the start of the conversation, as text or as blocks of text.'),
  temperature: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Sampling temperature: 0 is most consistent, 1 is most varied.'),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Cumulative probability of the tokens to sample from; an alternative to temperature.'),
  top_k: z.int().min(0).optional().describe('Sample only from this number of most likely tokens.'),
  stop_sequences: z.array(stringField).optional().describe('Texts at which the model stops.'),
  stream: flag.optional().describe('Stream the reply as server-sent events.'),
  thinking: z
    .looseObject({
      type: z
        .enum(['adaptive', 'enabled', 'between_tools', 'disabled'])
        .describe('Think as much as needed, up to a budget, only between tool calls, or not at all.'),
      budget_tokens: z
        .int()
        .min(1024)
        .optional()
        .describe('Maximum number of tokens for thinking; requires type enabled.'),
    })
    .optional()
    .describe('Whether the model thinks before it replies.'),
  output_config: z
    .looseObject({
      format: z
        .looseObject({
          type: stringField.describe("Kind of the format, 'json_schema'."),
          schema: anyObject.optional().describe('JSON Schema of the reply.'),
        })
        .nullish()
        .describe('Format of the reply; text by default.'),
      effort: stringField
        .nullish()
        .describe(
          'How much to think and to write: low, medium, high, xhigh or max, as far as the model supports it.',
        ),
    })
    .optional()
    .describe('Settings for the reply.'),
  tools: z.array(tool).optional().describe('Tools the model may call.'),
  tool_choice: z
    .union([stringField, anyObject])
    .optional()
    .describe(
      'auto, any or none, or an object with one of these types or with the name of the tool to call.',
    ),
  metadata: z
    .looseObject({
      user_id: stringField.nullish().describe('Stable, anonymous ID of the end user, to trace misuse.'),
    })
    .optional()
    .describe('Information about the request for the provider.'),
};

/**
 * The body of the direct messages format. This schema validates it, describes it to forms through JSON
 * Schema, and types it in the client. Unknown fields pass through.
 */
export const messagesRequest = z.looseObject({
  model: stringField.min(1).describe('Exact ID from the model list, including case and punctuation.'),
  ...common,
});

/**
 * The body on the partner-model route of a cloud platform. The path contains the model, and the body contains the
 * version of the protocol instead of a header.
 */
export const partnerMessagesRequest = z.looseObject({
  vendor_version: stringField
    .regex(/^[\w-]+-2023-10-16$/)
    .describe('Version of the protocol on the platform, such as tag-2023-10-16.'),
  ...common,
});

/** The body of a request of messages. Unknown fields pass through. */
export type MessagesRequest = z.infer<typeof messagesRequest>;
/** The body for a partner-model route, whose path contains the model. Unknown fields pass through. */
export type PartnerMessagesRequest = z.infer<typeof partnerMessagesRequest>;
