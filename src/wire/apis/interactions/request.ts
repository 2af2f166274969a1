import * as z from 'zod';
import { anyObject, flag, number, text } from '../format/requestFields.ts';

// Requests of the interactions format, and its replies. decode.ts reads replies; an interaction in the
// background is a task, which apis/taskRecord reads.

const content = z
  .looseObject({
    type: text.describe('Kind of the content: text, image, audio, video or document.'),
    text: text.optional().describe('The text of a content of type text.'),
    data: text.optional().describe('The data itself, base64.'),
    uri: text.optional().describe('The location of the data instead.'),
    mime_type: text.optional().describe('Kind of the data, such as image/png.'),
    resolution: text.optional().describe('How closely to look at a picture or video.'),
  })
  .describe('One piece of the input: text, a picture, a sound, a video or a document.');

const step = z
  .looseObject({
    type: text.describe(
      'Kind of the step: user_input, model_output, thought, function_call, function_result.',
    ),
    content: z.array(content).optional().describe('The content of the step.'),
    signature: text.optional().describe("The provider's proof of its thinking; goes back unchanged."),
    summary: z.array(content).optional().describe('Summary of the thinking.'),
    id: text.optional().describe('Identifier of a function call.'),
    call_id: text.optional().describe('The call that a result answers.'),
    name: text.optional().describe('Name of the function.'),
    arguments: anyObject.optional().describe('Arguments of the call, by name.'),
    result: z.unknown().optional().describe('The result of the function.'),
  })
  .describe('One step of the conversation so far.');

const responseFormat = z
  .looseObject({
    type: text.describe('Requested kind of output: text, image, audio or video.'),
    aspect_ratio: text
      .regex(/^\d+:\d+$/, 'must be width:height, such as 16:9')
      .optional()
      .describe('Aspect ratio of a picture or video, such as 16:9.'),
    duration: text
      .regex(/^\d+(\.\d+)?s$/, 'must be seconds, such as 5s')
      .optional()
      .describe('Length of a video in seconds, such as 5s.'),
    resolution: text.optional().describe('Size of a video: 360p, 720p, 1080p or 4k.'),
    delivery: text.optional().describe('inline, or uri for results that are too large for the reply.'),
    gcs_uri: text.optional().describe('The cloud storage location for the result; required with uri.'),
    mime_type: text.optional().describe('Format of the output, such as application/json.'),
    schema: anyObject.optional().describe('Schema the JSON of the reply must fit.'),
  })
  .describe('Format of the result.');

const generationConfig = z
  .looseObject({
    temperature: number('Sampling temperature: 0 is steady, higher is more varied.', 0, 2),
    top_p: number('Share of probability to sample from; an alternative to temperature.', 0, 1),
    max_output_tokens: z.int().min(1).nullish().describe('Most tokens to write, thinking included.'),
    stop_sequences: z.array(text).nullish().describe('The text at which the model stops.'),
    seed: z.int().nullish().describe('Same seed and same request: the same reply, as far as the model can.'),
    thinking_level: text.nullish().describe('How much to think: minimal, low, medium or high.'),
    thinking_summaries: text.nullish().describe('auto to include summaries of the thinking, or none.'),
    tool_choice: z.union([text, anyObject]).nullish().describe('auto, any, none, or which functions.'),
    speech_config: z
      .union([anyObject, z.array(anyObject)])
      .nullish()
      .describe('Speech options, if audio is requested.'),
    image_config: anyObject.nullish().describe('Picture options, if pictures are requested.'),
    video_config: z
      .looseObject({
        task: z
          .enum(['text_to_video', 'image_to_video', 'reference_to_video', 'edit', 'extend', 'upscale'])
          .or(text)
          .optional()
          .describe('How the video is made, when the response format is video.'),
      })
      .nullish()
      .describe('How to make a video.'),
  })
  .nullish()
  .describe('How to write the reply.');

/**
 * The body of POST /v1beta/interactions: either a model or an agent, and an input. Unknown fields pass
 * through.
 */
export const interactionsRequest = z
  .looseObject({
    model: text
      .min(1)
      .optional()
      .describe('Exact ID from the model list, on cloud platforms with its prefix.'),
    agent: text.min(1).optional().describe('Name of an agent, instead of a model.'),
    input: z
      .union([text.min(1), content, z.array(step)])
      .describe('What to do: text, a content, or a list of contents or of steps.'),
    response_format: z
      .union([responseFormat, z.array(responseFormat)])
      .nullish()
      .describe('Format of the result, or the formats of several.'),
    generation_config: generationConfig,
    background: z
      .boolean()
      .nullish()
      .describe('Answer at once with a task, instead of waiting for the result.'),
    store: z
      .boolean()
      .nullish()
      .describe(
        'Store the interaction on the provider (the default). Required to run in the background and to continue it later.',
      ),
    stream: flag.nullish().describe('Send the reply as server-sent events while it is written.'),
    previous_interaction_id: text.nullish().describe('Stored interaction to continue.'),
    system_instruction: text.nullish().describe('Instructions at the start of the conversation.'),
    tools: z.array(anyObject).nullish().describe('The tools that the model may use.'),
    labels: z.record(text, text).nullish().describe('Labels stored with the interaction.'),
    service_tier: text.nullish().describe('Class of service, such as standard, flex or priority.'),
    webhook_config: anyObject.nullish().describe('The address to which the provider reports completion.'),
    continuation_token: text.nullish().describe('Token of an interaction that asked to be continued.'),
    safety_settings: z.array(anyObject).nullish().describe('How strictly each kind of harm is blocked.'),
  })
  .refine(({ model, agent }) => (model === undefined) !== (agent === undefined), {
    path: ['model'],
    message: 'either a model or an agent must be named',
  })
  .refine(({ background, stream }) => !(background && stream), {
    path: ['stream'],
    message: 'an interaction in the background cannot be streamed',
  });

/** The body of a request of interactions. Unknown fields pass through. */
export type InteractionsRequest = z.infer<typeof interactionsRequest>;

/** One step of the conversation. */
export type InteractionStep = z.infer<typeof step>;

/** One content of a step. */
export type InteractionContent = z.infer<typeof content>;

/** An interaction; partial in the events of a stream. */
export interface Interaction {
  /** Absent when the interaction is not kept. */
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
  /** Why the interaction failed. */
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
export interface InteractionsError {
  readonly error: { readonly code: string; readonly message: string };
}
