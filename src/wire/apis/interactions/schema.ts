import * as z from 'zod';
import { anyObject, flag, number, stringField } from '../shared/schemaFields.ts';

// Requests of the interactions format, and the types of its replies. readReply.ts reads replies. An interaction in
// the background is a task, which apis/taskRecord reads.

const content = z
  .looseObject({
    type: stringField.describe('Kind of the content: text, image, audio, video or document.'),
    text: stringField.optional().describe('The text of a content item of type text.'),
    data: stringField.optional().describe('The data, base64-encoded.'),
    uri: stringField.optional().describe('The location of the data, as an alternative to data.'),
    mime_type: stringField.optional().describe('Media type of the data, such as image/png.'),
    resolution: stringField.optional().describe('Level of detail for processing a picture or video.'),
  })
  .describe('Part of the input: text, a picture, a sound, a video or a document.');

const step = z
  .looseObject({
    type: stringField.describe(
      'Kind of the step: user_input, model_output, thought, function_call, function_result.',
    ),
    content: z.array(content).optional().describe('The content of the step.'),
    signature: stringField
      .optional()
      .describe("The provider's signature of its thinking; send it back unchanged."),
    summary: z.array(content).optional().describe('Summary of the thinking.'),
    id: stringField.optional().describe('Identifier of a function call.'),
    call_id: stringField.optional().describe('The call to which the result belongs.'),
    name: stringField.optional().describe('Name of the function.'),
    arguments: anyObject.optional().describe('Arguments of the call, by name.'),
    result: z.unknown().optional().describe('The result of the function.'),
  })
  .describe('One step of the conversation so far.');

const responseFormat = z
  .looseObject({
    type: stringField.describe('Requested kind of output: text, image, audio or video.'),
    aspect_ratio: stringField
      .regex(/^\d+:\d+$/, 'must be width:height, such as 16:9')
      .optional()
      .describe('Aspect ratio of a picture or video, such as 16:9.'),
    duration: stringField
      .regex(/^\d+(\.\d+)?s$/, 'must be seconds, such as 5s')
      .optional()
      .describe('Length of a video in seconds, such as 5s.'),
    resolution: stringField.optional().describe('Size of a video: 360p, 720p, 1080p or 4k.'),
    delivery: stringField.optional().describe('inline, or uri for results that are too large for the reply.'),
    gcs_uri: stringField.optional().describe('The cloud storage location for the result; required with uri.'),
    mime_type: stringField.optional().describe('Format of the output, such as application/json.'),
    schema: anyObject.optional().describe('Schema that the JSON of the reply must match.'),
  })
  .describe('Format of the result.');

const generationConfig = z
  .looseObject({
    temperature: number('Sampling temperature: 0 is most consistent, higher values are more varied.', 0, 2),
    top_p: number(
      'Cumulative probability of the tokens to sample from; an alternative to temperature.',
      0,
      1,
    ),
    max_output_tokens: z
      .int()
      .min(1)
      .nullish()
      .describe('Maximum number of tokens to generate, including thinking.'),
    stop_sequences: z
      .array(stringField)
      .nullish()
      .describe('The model stops when it generates one of these texts.'),
    seed: z
      .int()
      .nullish()
      .describe('The same seed and request produce the same reply, as far as the model supports this.'),
    thinking_level: stringField.nullish().describe('How much to think: minimal, low, medium or high.'),
    thinking_summaries: stringField
      .nullish()
      .describe('auto includes summaries of the thinking in the reply; none omits them.'),
    tool_choice: z
      .union([stringField, anyObject])
      .nullish()
      .describe('auto, any, none, or the functions that may be called.'),
    speech_config: z
      .union([anyObject, z.array(anyObject)])
      .nullish()
      .describe('Speech options, if audio is requested.'),
    image_config: anyObject.nullish().describe('Picture options, if pictures are requested.'),
    video_config: z
      .looseObject({
        task: z
          .enum(['text_to_video', 'image_to_video', 'reference_to_video', 'edit', 'extend', 'upscale'])
          .or(stringField)
          .optional()
          .describe('How the video is generated if the response format is video.'),
      })
      .nullish()
      .describe('Settings for generating videos.'),
  })
  .nullish()
  .describe('Settings for generating the reply.');

/**
 * The body of POST /v1beta/interactions: either a model or an agent, and an input. Unknown fields pass
 * through.
 */
export const interactionsRequest = z
  .looseObject({
    model: stringField
      .min(1)
      .optional()
      .describe('Exact ID from the model list, including its prefix on cloud platforms.'),
    agent: stringField.min(1).optional().describe('Name of an agent, instead of a model.'),
    input: z
      .union([stringField.min(1), content, z.array(step)])
      .describe('The input: text, a content item, or a list of content items or steps.'),
    response_format: z
      .union([responseFormat, z.array(responseFormat)])
      .nullish()
      .describe('Format of the result, or a list of formats for several results.'),
    generation_config: generationConfig,
    background: flag.nullish().describe('Return a task immediately instead of waiting for the result.'),
    store: flag
      .nullish()
      .describe(
        'Store the interaction on the provider (the default). Required to run in the background and to continue it later.',
      ),
    stream: flag.nullish().describe('Stream the reply as server-sent events.'),
    previous_interaction_id: stringField.nullish().describe('Stored interaction to continue.'),
    system_instruction: stringField.nullish().describe('Instructions at the start of the conversation.'),
    tools: z.array(anyObject).nullish().describe('The tools that the model may use.'),
    labels: z.record(stringField, stringField).nullish().describe('Labels stored with the interaction.'),
    service_tier: stringField.nullish().describe('Service tier, such as standard, flex or priority.'),
    webhook_config: anyObject.nullish().describe('The address to which the provider reports completion.'),
    continuation_token: stringField.nullish().describe('Continuation token from an earlier interaction.'),
    safety_settings: z.array(anyObject).nullish().describe('How strictly each kind of harm is blocked.'),
  })
  .refine(({ model, agent }) => (model === undefined) !== (agent === undefined), {
    path: ['model'],
    message: 'either a model or an agent must be specified',
  })
  .refine(({ background, stream }) => !(background && stream), {
    path: ['stream'],
    message: 'an interaction in the background cannot be streamed',
  });

/** The body of a request of interactions. Unknown fields pass through. */
export type InteractionsRequest = z.infer<typeof interactionsRequest>;

export type InteractionStep = z.infer<typeof step>;

export type InteractionContent = z.infer<typeof content>;

/** An interaction; partial in the events of a stream. */
export interface Interaction {
  /** Absent if the interaction is not stored. */
  readonly id?: string;
  readonly object?: 'interaction';
  readonly status:
    | 'queued'
    | 'in_progress'
    | 'requires_action'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'incomplete'
    | 'budget_exceeded';
  /** ISO 8601. */
  readonly created?: string;
  readonly updated?: string;
  readonly model?: string;
  readonly steps?: readonly InteractionStep[];
  /** The reasons of a failed interaction. */
  readonly errors?: readonly { readonly code: string; readonly message: string }[];
  readonly usage?: {
    readonly total_input_tokens?: number;
    readonly total_output_tokens?: number;
    readonly total_thought_tokens?: number;
    readonly total_cached_tokens?: number;
    readonly total_tokens?: number;
  };
}

/** One event of a streamed reply. The stream ends with the data line `[DONE]`. */
export type InteractionEvent =
  | {
      readonly event_type: 'interaction.created' | 'interaction.completed';
      readonly event_id?: string;
      readonly interaction: Interaction;
    }
  | { readonly event_type: 'step.start'; readonly index: number; readonly step: InteractionStep }
  | { readonly event_type: 'step.delta'; readonly index: number; readonly delta: InteractionContent }
  | { readonly event_type: 'step.stop'; readonly index: number }
  | { readonly event_type: 'error'; readonly error: InteractionsError['error'] };

/** The body of an error, and an error inside a stream. Its code is a word. */
interface InteractionsError {
  readonly error: { readonly code: string; readonly message: string };
}
