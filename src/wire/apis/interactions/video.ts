import { valueAt, withValue } from '../../../base/nestedValues.ts';
import type { PartOf } from '../format/encoding.ts';
import { numberAt, oneOf, textAt, type VideoSpelling } from '../format/videoMeaning.ts';
import type { Frames, VideoRoute } from '../format/videoRoute.ts';
import { interactions } from './format.ts';

type Values = Readonly<Record<string, unknown>>;

const taskPath = ['generation_config', 'video_config', 'task'] as const;
const promptPath = ['input'] as const;
const aspectRatioPath = ['response_format', 'aspect_ratio'] as const;
const resolutionPath = ['response_format', 'resolution'] as const;
const durationPath = ['response_format', 'duration'] as const;
const seedPath = ['generation_config', 'seed'] as const;

const resolutions = ['360p', '720p', '1080p', '4k'] as const;

/** How interactions write what a video is to be. */
const interactionsSpelling: VideoSpelling = {
  places: [
    { path: promptPath, means: ['prompt'] },
    { path: aspectRatioPath, means: ['aspectRatio'] },
    { path: resolutionPath, means: ['resolution'] },
    { path: durationPath, means: ['seconds'] },
    { path: seedPath, means: ['seed'] },
  ],
  read: (values) => ({
    prompt: textAt(values, promptPath),
    aspectRatio: textAt(values, aspectRatioPath),
    resolution: textAt(values, resolutionPath)?.toLowerCase(),
    seconds: secondsIn(textAt(values, durationPath)),
    seed: numberAt(values, seedPath),
  }),
  write: (values, { prompt, aspectRatio, resolution, seconds, seed }) =>
    (
      [
        [promptPath, prompt],
        [aspectRatioPath, aspectRatio],
        [resolutionPath, oneOf(resolutions, resolution)],
        [durationPath, seconds === undefined ? undefined : `${seconds}s`],
        [seedPath, seed],
      ] as const
    ).reduce((into, [path, value]) => withValue(into, path, value), values),
};

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
  promptPath,
  durationPath,
  measurePaths: [aspectRatioPath, durationPath],
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

function secondsIn(duration: string | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(duration ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
