import * as z from 'zod';
import { anyObject, flag, text } from '../format/requestFields.ts';

// Requests of the messages format, to a provider and through a cloud platform. decode.ts reads replies,
// leniently and without zod.

const contentBlock = z
  .looseObject({
    type: text.describe('Kind of the block, such as text, image, tool_use, tool_result or thinking.'),
    text: text.optional().describe('The text of a block of type text.'),
  })
  .describe('One piece of a message: text, a picture, a tool call, its result, or thinking.');

const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']).describe('Who speaks.'),
  content: z.union([text, z.array(contentBlock)]).describe('What is said, as text or as blocks.'),
});

const tool = z
  .looseObject({
    name: text.min(1).describe('Name the model calls the tool by.'),
    description: text.optional().describe('What the tool does and when to use it.'),
    input_schema: z
      .looseObject({
        type: text.describe("Kind of the input, always 'object'."),
        properties: anyObject.nullish().describe('Name of a member to its JSON Schema.'),
        required: z.array(text).nullish().describe('Members that must be there.'),
      })
      .optional()
      .describe('JSON Schema of the input. Tools that the provider runs itself have none.'),
  })
  .describe('A tool the model may call.');

/** The fields that both bodies share. */
const common = {
  messages: z.array(message).min(1).describe('The conversation so far, oldest first.'),
  max_tokens: z.int().min(1).describe('Most tokens to write, thinking included.'),
  system: z
    .union([
      text,
      z.array(
        z.looseObject({
          type: text.describe("Kind of the block, 'text'."),
          text: text.describe('The instructions.'),
        }),
      ),
    ])
    .optional()
    .describe('Instructions that stand above the conversation, as text or as blocks of text.'),
  temperature: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Sampling temperature: 0 is steady, 1 is varied.'),
  top_p: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Share of probability to sample from; an alternative to temperature.'),
  top_k: z.int().min(0).optional().describe('Sample from this many of the likeliest tokens only.'),
  stop_sequences: z.array(text).optional().describe('Texts at which the model stops.'),
  stream: flag.optional().describe('Send the reply as server-sent events while it is written.'),
  thinking: z
    .looseObject({
      type: z
        .enum(['adaptive', 'enabled', 'between_tools', 'disabled'])
        .describe(
          'As much as the question needs, up to a budget, only between calls of tools, or not at all.',
        ),
      budget_tokens: z.int().min(1024).optional().describe('Most tokens to think; needs type enabled.'),
    })
    .optional()
    .describe('Whether the model thinks before it answers.'),
  output_config: z
    .looseObject({
      format: z
        .looseObject({
          type: text.describe("Kind of the form, 'json_schema'."),
          schema: anyObject.optional().describe('JSON Schema of the reply.'),
        })
        .nullish()
        .describe('Form of the reply; text without it.'),
      effort: text
        .nullish()
        .describe(
          'How much to think and to write: low, medium, high, xhigh or max, as far as the model can.',
        ),
    })
    .optional()
    .describe('How the reply is written.'),
  tools: z.array(tool).optional().describe('Tools the model may call.'),
  tool_choice: z
    .union([text, anyObject])
    .optional()
    .describe('auto, any or none, or an object with that type or with the name of the tool to call.'),
  metadata: z
    .looseObject({
      user_id: text.nullish().describe('Stable, anonymous ID of the end user, to trace misuse.'),
    })
    .optional()
    .describe('Information about the request for the provider.'),
};

/**
 * The body of the direct messages format. This schema validates it, describes it to forms through JSON
 * Schema, and types it in the client. Unknown fields pass through.
 */
export const messagesRequest = z.looseObject({
  model: text.min(1).describe('Exact ID from the model list, with its case and punctuation.'),
  ...common,
});

/**
 * The body on the partner-model route of a cloud platform. The path holds the model, and the body holds the
 * version of the protocol in place of a header.
 */
export const partnerMessagesRequest = z.looseObject({
  vendor_version: text
    .regex(/^[\w-]+-2023-10-16$/)
    .describe('Version of the protocol on the platform, such as tag-2023-10-16.'),
  ...common,
});

/** The body of a request of messages. Unknown fields pass through. */
export type MessagesRequest = z.infer<typeof messagesRequest>;
/** The same for a partner-model route, which names the model in its path. Unknown fields pass through. */
export type PartnerMessagesRequest = z.infer<typeof partnerMessagesRequest>;
