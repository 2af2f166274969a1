import { valueAt, withValue } from '../../../base/nestedValues.ts';
import type { PartOf } from '../encoding.ts';
import type { Frames, VideoRoute } from '../videoRoute.ts';
import { interactions } from './format.ts';
import { interactionsSpelling } from './videoSpelling.ts';

type Values = Readonly<Record<string, unknown>>;

const taskPath = ['generation_config', 'video_config', 'task'] as const;

/** Videos by the route of interactions. */
export const interactionsVideo = {
  id: 'interactions',
  label: interactions.label,
  shortLabel: interactions.shortLabel,
  route: interactions.route,
  backgroundField: 'background',
  ownFields: ['model', 'agent', 'stream'],
  defaults: {
    response_format: { type: 'video', aspect_ratio: '16:9' },
    generation_config: { video_config: { task: 'text_to_video' } },
    background: true,
  },
  promptPath: ['input'],
  durationPath: ['response_format', 'duration'],
  measurePaths: [
    ['response_format', 'aspect_ratio'],
    ['response_format', 'duration'],
  ],
  exclusions: [],
  spelling: interactionsSpelling,
  frames: ['first'],
  withFrames,
  takeFrames,
} as const satisfies VideoRoute;

function withFrames(request: Values, { first }: Frames): Values {
  if (!first) return request;
  const { mimeType: mime_type, data } = first;
  const text = typeof request.input === 'string' ? [{ type: 'text', text: request.input }] : [];
  const withPicture = { ...request, input: [...text, { type: 'image', mime_type, data }] };
  // A picture to begin with makes it another kind of task, unless the user said which.
  return valueAt(request, taskPath) === 'text_to_video'
    ? withValue(withPicture, taskPath, 'image_to_video')
    : withPicture;
}

function takeFrames(request: Values): { values: Values; frames: Frames } {
  const pieces: readonly unknown[] = Array.isArray(request.input) ? request.input : [];
  const [text, picture, ...others] = pieces;
  const first = imageFrom(valueAt(picture, ['mime_type']), valueAt(picture, ['data']));
  const prompt = valueAt(text, ['text']);
  if (others.length > 0 || first === undefined || typeof prompt !== 'string')
    return { values: request, frames: {} };
  return { values: { ...request, input: prompt }, frames: { first } };
}

function imageFrom(mimeType: unknown, data: unknown): PartOf<'image'> | undefined {
  if (typeof mimeType !== 'string' || typeof data !== 'string') return undefined;
  return { type: 'image', mimeType, data };
}
