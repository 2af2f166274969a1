import { isObject, type JsonObject } from '../../../base/json.ts';
import { valueAt, withValue } from '../../../base/nestedValues.ts';
import { defineRoutes } from '../../routes.ts';
import { type ErrorDetails, type ErrorNames, findErrorName } from '../shared/errorFormat.ts';
import { type PartOf, readDataUrl, writeDataUrl } from '../shared/messageParts.ts';
import {
  type AnyVideoRoute,
  type Frame,
  type Frames,
  findWord,
  readNumber,
  readText,
  setFields,
  type VideoProperties,
  type VideoSpelling,
} from '../shared/videoRoute.ts';
import type { VideoSynthesisError } from './schema.ts';

export const videoSynthesisRoutes = defineRoutes({
  videoSynthesis: {
    method: 'POST',
    path: '/api/v1/services/aigc/video-generation/video-synthesis',
    credential: 'bearer',
    group: 'videoSynthesis',
  },
});

const promptPath = ['input', 'prompt'] as const;
const sizePath = ['parameters', 'size'] as const;
const ratioPath = ['parameters', 'ratio'] as const;
const resolutionPath = ['parameters', 'resolution'] as const;
const durationPath = ['parameters', 'duration'] as const;
const seedPath = ['parameters', 'seed'] as const;

const resolutions = ['480p', '720p', '1080p'] as const;

/** The usual sizes with their properties. The first that fits is used. */
const sizes = [
  { size: '1280*720', aspectRatio: '16:9', resolution: '720p' },
  { size: '720*1280', aspectRatio: '9:16', resolution: '720p' },
  { size: '960*960', aspectRatio: '1:1', resolution: undefined },
  { size: '1920*1080', aspectRatio: '16:9', resolution: '1080p' },
  { size: '1080*1920', aspectRatio: '9:16', resolution: '1080p' },
] as const;

/** How native video synthesis writes the properties of a video: a size, or a resolution with an aspect ratio. */
const videoSynthesisSpelling: VideoSpelling = {
  fields: [
    { path: promptPath, properties: ['prompt'] },
    { path: sizePath, properties: ['aspectRatio', 'resolution'] },
    { path: ratioPath, properties: ['aspectRatio'] },
    { path: resolutionPath, properties: ['resolution'] },
    { path: durationPath, properties: ['seconds'] },
    { path: seedPath, properties: ['seed'] },
  ],
  read: (values) => {
    const size = sizes.find((each) => each.size === readText(values, sizePath));
    return {
      prompt: readText(values, promptPath),
      aspectRatio: size?.aspectRatio ?? readText(values, ratioPath),
      resolution: readText(values, resolutionPath)?.toLowerCase() ?? size?.resolution,
      seconds: readNumber(values, durationPath),
      seed: readNumber(values, seedPath),
    };
  },
  write: (values, properties) => {
    const { prompt, seconds, seed } = properties;
    return setFields(values, [
      ...listMeasureFields(properties),
      [promptPath, prompt],
      [durationPath, Number.isInteger(seconds) ? seconds : undefined],
      [seedPath, (seed ?? -1) >= 0 ? seed : undefined],
    ]);
  },
};

/** The route of native video synthesis, which only makes videos. */
export const videoSynthesis = {
  id: 'videoSynthesis',
  label: 'Video Synthesis (DashScope)',
  shortLabel: 'Synthesis',
  route: videoSynthesisRoutes.videoSynthesis,
  error: { paths: /^\/api\/v1\//, body: writeVideoSynthesisError },
  vendorHeaders: { vendorAsync: 'enable' },
  ownFields: ['model'],
  defaults: { parameters: { size: '1280*720', duration: 5 } },
  promptPath,
  measurePaths: [sizePath, ratioPath],
  // A model accepts a size, or a resolution with an aspect ratio. It accepts one picture to animate, or a first and a
  // last picture.
  exclusions: [
    [[sizePath], [resolutionPath, ratioPath]],
    [
      [['input', 'img_url']],
      [
        ['input', 'first_frame_url'],
        ['input', 'last_frame_url'],
      ],
    ],
  ],
  models: /\bwanx?[\d-]|t2v|i2v/i,
  spelling: videoSynthesisSpelling,
  frames: ['first', 'last'],
  addFrames,
  removeFrames,
} as const satisfies AnyVideoRoute;

function addFrames(request: JsonObject, { first, last }: Frames): JsonObject {
  const isPair = last !== undefined || Boolean(valueAt(request, ['input', 'last_frame_url']));
  // The name of the first picture depends on whether there is also a last picture.
  const [name, otherName] = isPair ? ['first_frame_url', 'img_url'] : ['img_url', 'first_frame_url'];
  const setPicture = (values: JsonObject, field: string, image: PartOf<'image'> | undefined) =>
    image ? withValue(values, ['input', field], writeDataUrl(image)) : values;
  const withFirst = first ? withValue(request, ['input', otherName], undefined) : request;
  return setPicture(setPicture(withFirst, name, first), 'last_frame_url', last);
}

function removeFrames(request: JsonObject): { values: JsonObject; frames: Frames } {
  const { input } = request;
  const frames: Frames = {
    ...readFrames('first', valueAt(input, ['first_frame_url']) ?? valueAt(input, ['img_url'])),
    ...readFrames('last', valueAt(input, ['last_frame_url'])),
  };
  const inputFields = Object.entries(isObject(input) ? input : {}).filter(
    ([name, value]) => !/^(first_frame|last_frame|img)_url$/.test(name) || !readPicture(value),
  );
  return { values: { ...request, input: Object.fromEntries(inputFields) }, frames };
}

function readFrames(frame: Frame, url: unknown): Frames {
  const image = readPicture(url);
  return image ? { [frame]: image } : {};
}

/** The picture in a data URL. Forms cannot show pictures at other addresses. */
function readPicture(url: unknown): PartOf<'image'> | undefined {
  const image = readDataUrl(url);
  return image && /^image\/[\w.+-]+$/.test(image.mimeType) ? image : undefined;
}

/** The size, or the resolution and the aspect ratio if no usual size fits. */
function listMeasureFields({ aspectRatio, resolution }: VideoProperties) {
  const size = sizes.find(
    (each) =>
      each.aspectRatio === aspectRatio && (resolution === undefined || each.resolution === resolution),
  )?.size;
  return [
    [sizePath, size],
    [ratioPath, size === undefined ? aspectRatio : undefined],
    [resolutionPath, size === undefined ? findWord(resolutions, resolution)?.toUpperCase() : undefined],
  ] as const;
}

function writeVideoSynthesisError(
  { status, message, code }: ErrorDetails,
  request_id: string,
): VideoSynthesisError {
  return { code: namesByCode[code] ?? findErrorName(errorNames, status), message, request_id };
}

const errorNames: ErrorNames = {
  401: 'InvalidApiKey',
  403: 'AccessDenied',
  404: 'ModelNotFound',
  429: 'Throttling',
  503: 'ServiceUnavailable',
  504: 'RequestTimeOut',
  refusal: 'InvalidParameter',
  failure: 'InternalError',
};

/** Names for errors of the task routes and of upstreams, by the code of the error. */
const namesByCode: Readonly<Record<string, string>> = {
  task_not_found: 'NotFound',
  task_not_cancellable: 'UnsupportedOperation',
  upstream_credential: 'UpstreamCredential',
  upstream_unusable: 'UpstreamUnusable',
  upstream_challenge: 'UpstreamChallenge',
  upstream_blocked: 'UpstreamBlocked',
  upstream_region: 'UpstreamRegion',
};
