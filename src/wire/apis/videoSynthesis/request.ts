import * as z from 'zod';
import { flag, text } from '../format/requestFields.ts';

// Requests of the native asynchronous video synthesis. The reply is a task record, which apis/taskRecord
// reads.

const media = z
  .looseObject({
    type: text.describe('What it is for, such as reference_image, reference_video or first_frame.'),
    url: text.optional().describe('Its location.'),
    reference_voice: text.optional().describe('The location of a voice to speak with.'),
  })
  .describe('A picture, clip or sound to work from.');

const input = z.looseObject({
  prompt: text.optional().describe('The content of the video.'),
  negative_prompt: text.nullish().describe('Content that it should not show.'),
  img_url: text.nullish().describe('Picture to animate: its address, or a data URL.'),
  first_frame_url: text.nullish().describe('Picture the video begins with.'),
  last_frame_url: text.nullish().describe('Picture the video ends with.'),
  audio_url: text.nullish().describe('Sound the video is made to.'),
  template: text.nullish().describe('Name of a ready-made effect.'),
  reference_urls: z.array(text).nullish().describe('Pictures or clips whose subjects appear in the video.'),
  media: z.array(media).nullish().describe('The inputs, each with its purpose.'),
});

const parameters = z
  .looseObject({
    size: text
      .regex(/^\d+\*\d+$/, 'must be width*height, such as 1280*720')
      .nullish()
      .describe('Width*height in pixels, such as 1280*720; some models take resolution instead.'),
    resolution: text.nullish().describe('480P, 720P or 1080P, for models that take it instead of a size.'),
    ratio: text.nullish().describe('Aspect ratio of the video, such as 16:9, with a resolution.'),
    duration: z.int().min(1).nullish().describe('Length in seconds.'),
    prompt_extend: flag.nullish().describe('Let the provider enhance the prompt first.'),
    watermark: flag.nullish().describe('Mark the video as made by a model.'),
    audio: flag.nullish().describe('Generate sound as well.'),
    seed: z
      .int()
      .min(0)
      .max(2_147_483_647)
      .nullish()
      .describe('Same seed and same request: much the same video.'),
    shot_type: text.nullish().describe('single for one shot, multi for several.'),
  })
  .nullish()
  .describe('How to make the video.');

/**
 * The body of POST /api/v1/services/aigc/video-generation/video-synthesis. Models differ in their fields, so
 * unknown ones pass through.
 */
export const videoSynthesisRequest = z.looseObject({
  model: text.min(1).describe('Exact ID from the model list, with its case and punctuation.'),
  input: input.describe('The input for the video.'),
  parameters,
});

/** The body of a request of native video synthesis. Unknown fields pass through. */
export type VideoSynthesisRequest = z.infer<typeof videoSynthesisRequest>;

/** The reply to a create. `request_id` is the id of the call, not of the task. */
export interface VideoSynthesisCreated {
  readonly output: { readonly task_id: string; readonly task_status: 'PENDING' };
  readonly request_id: string;
}

/** The body of an error, without an error object. */
export interface VideoSynthesisError {
  readonly code: string;
  readonly message: string;
  readonly request_id: string;
}
