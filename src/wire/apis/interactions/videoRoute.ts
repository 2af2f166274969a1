import { isObject, type JsonObject } from '../../../base/json.ts';
import { valueAt, withValue } from '../../../base/nestedValues.ts';
import type { PartOf } from '../shared/messageParts.ts';
import {
  type AnyVideoRoute,
  type Frames,
  findWord,
  readNumber,
  readText,
  setFields,
  type VideoSpelling,
} from '../shared/videoRoute.ts';
import { interactions } from './format.ts';

const taskPath = ['generation_config', 'video_config', 'task'] as const;
const promptPath = ['input'] as const;

/** @param format the value of response_format, unchecked */
export function requestsVideo(format: unknown): boolean {
  return [format].flat().some((each) => isObject(each) && each.type === 'video');
}

const aspectRatioPath = ['response_format', 'aspect_ratio'] as const;
const resolutionPath = ['response_format', 'resolution'] as const;
const durationPath = ['response_format', 'duration'] as const;
const seedPath = ['generation_config', 'seed'] as const;

const resolutions = ['360p', '720p', '1080p', '4k'] as const;

/** How interactions write the properties of a video. */
const interactionsSpelling: VideoSpelling = {
  fields: [
    { path: promptPath, properties: ['prompt'] },
    { path: aspectRatioPath, properties: ['aspectRatio'] },
    { path: resolutionPath, properties: ['resolution'] },
    { path: durationPath, properties: ['seconds'] },
    { path: seedPath, properties: ['seed'] },
  ],
  read: (values) => ({
    prompt: readText(values, promptPath),
    aspectRatio: readText(values, aspectRatioPath),
    resolution: readText(values, resolutionPath)?.toLowerCase(),
    seconds: readSeconds(readText(values, durationPath)),
    seed: readNumber(values, seedPath),
  }),
  write: (values, { prompt, aspectRatio, resolution, seconds, seed }) =>
    setFields(values, [
      [promptPath, prompt],
      [aspectRatioPath, aspectRatio],
      [resolutionPath, findWord(resolutions, resolution)],
      [durationPath, seconds === undefined ? undefined : `${seconds}s`],
      [seedPath, seed],
    ]),
};

/** Videos on the route of interactions. */
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
  measurePaths: [aspectRatioPath, durationPath],
  exclusions: [],
  spelling: interactionsSpelling,
  frames: ['first'],
  addFrames,
  removeFrames,
} as const satisfies AnyVideoRoute;

function addFrames(request: JsonObject, { first }: Frames): JsonObject {
  if (!first) return request;
  const { mimeType: mime_type, data } = first;
  const text = typeof request.input === 'string' ? [{ type: 'text', text: request.input }] : [];
  const withPicture = { ...request, input: [...text, { type: 'image', mime_type, data }] };
  // A first picture changes the kind of task, unless the user selected another kind.
  return valueAt(request, taskPath) === 'text_to_video'
    ? withValue(withPicture, taskPath, 'image_to_video')
    : withPicture;
}

function removeFrames(request: JsonObject): { values: JsonObject; frames: Frames } {
  const contents: readonly unknown[] = Array.isArray(request.input) ? request.input : [];
  const [text, picture, ...others] = contents;
  const first = readImage(valueAt(picture, ['mime_type']), valueAt(picture, ['data']));
  const prompt = valueAt(text, ['text']);
  if (others.length > 0 || first === undefined || typeof prompt !== 'string')
    return { values: request, frames: {} };
  return { values: { ...request, input: prompt }, frames: { first } };
}

function readImage(mimeType: unknown, data: unknown): PartOf<'image'> | undefined {
  if (typeof mimeType !== 'string' || typeof data !== 'string') return undefined;
  return { type: 'image', mimeType, data };
}

function readSeconds(duration: string | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(duration ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
