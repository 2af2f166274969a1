import { isObject } from '../../../base/json.ts';
import { valueAt, withValue } from '../../../base/nestedValues.ts';
import { dataUrl, imageOf, type PartOf } from '../format/encoding.ts';
import { numberAt, oneOf, textAt, type VideoMeaning, type VideoSpelling } from '../format/videoMeaning.ts';
import type { Frame, Frames, VideoRoute } from '../format/videoRoute.ts';
import { videoSynthesis } from './format.ts';

type Values = Readonly<Record<string, unknown>>;

const promptPath = ['input', 'prompt'] as const;
const sizePath = ['parameters', 'size'] as const;
const ratioPath = ['parameters', 'ratio'] as const;
const resolutionPath = ['parameters', 'resolution'] as const;
const durationPath = ['parameters', 'duration'] as const;
const seedPath = ['parameters', 'seed'] as const;

const resolutions = ['480p', '720p', '1080p'] as const;

/** The usual sizes, with what they mean. Of those that fit, the first is taken. */
const sizes = [
  { size: '1280*720', aspectRatio: '16:9', resolution: '720p' },
  { size: '720*1280', aspectRatio: '9:16', resolution: '720p' },
  { size: '960*960', aspectRatio: '1:1', resolution: undefined },
  { size: '1920*1080', aspectRatio: '16:9', resolution: '1080p' },
  { size: '1080*1920', aspectRatio: '9:16', resolution: '1080p' },
] as const;

/** How native video synthesis writes what a video is to be: a size, or a resolution with an aspect ratio. */
const videoSynthesisSpelling: VideoSpelling = {
  places: [
    { path: promptPath, means: ['prompt'] },
    { path: sizePath, means: ['aspectRatio', 'resolution'] },
    { path: ratioPath, means: ['aspectRatio'] },
    { path: resolutionPath, means: ['resolution'] },
    { path: durationPath, means: ['seconds'] },
    { path: seedPath, means: ['seed'] },
  ],
  read: (values) => {
    const size = sizes.find((each) => each.size === textAt(values, sizePath));
    return {
      prompt: textAt(values, promptPath),
      aspectRatio: size?.aspectRatio ?? textAt(values, ratioPath),
      resolution: textAt(values, resolutionPath)?.toLowerCase() ?? size?.resolution,
      seconds: numberAt(values, durationPath),
      seed: numberAt(values, seedPath),
    };
  },
  write: (values, meaning) =>
    (
      [
        [promptPath, meaning.prompt],
        [durationPath, Number.isInteger(meaning.seconds) ? meaning.seconds : undefined],
        [seedPath, (meaning.seed ?? -1) >= 0 ? meaning.seed : undefined],
      ] as const
    ).reduce((into, [path, value]) => withValue(into, path, value), withMeasures(values, meaning)),
};

/** Videos by the native route, which makes nothing else. */
export const videoSynthesisVideo = {
  id: 'videoSynthesis',
  label: videoSynthesis.label,
  shortLabel: videoSynthesis.shortLabel,
  route: videoSynthesis.route,
  error: videoSynthesis.error,
  vendorHeaders: { vendorAsync: 'enable' },
  ownFields: ['model'],
  defaults: { parameters: { size: '1280*720', duration: 5 } },
  promptPath,
  durationPath,
  measurePaths: [sizePath, ratioPath],
  // A model takes a size, or a resolution with an aspect ratio; one picture to animate, or two to go between.
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
  withFrames,
  takeFrames,
} as const satisfies VideoRoute;

function withFrames(request: Values, { first, last }: Frames): Values {
  const isPair = last !== undefined || Boolean(valueAt(request, ['input', 'last_frame_url']));
  // Models that animate one picture know it by another name than those that go from one to another.
  const [name, otherName] = isPair ? ['first_frame_url', 'img_url'] : ['img_url', 'first_frame_url'];
  const place = (into: Values, at: string, image: PartOf<'image'> | undefined) =>
    image ? withValue(into, ['input', at], dataUrl(image)) : into;
  const withFirst = first ? withValue(request, ['input', otherName], undefined) : request;
  return place(place(withFirst, name, first), 'last_frame_url', last);
}

function takeFrames(request: Values): { values: Values; frames: Frames } {
  const { input } = request;
  const frames: Frames = {
    ...named('first', valueAt(input, ['first_frame_url']) ?? valueAt(input, ['img_url'])),
    ...named('last', valueAt(input, ['last_frame_url'])),
  };
  const kept = Object.entries(isObject(input) ? input : {}).filter(
    ([name, value]) => !/^(first_frame|last_frame|img)_url$/.test(name) || !frameIn(value),
  );
  return { values: { ...request, input: Object.fromEntries(kept) }, frames };
}

function named(frame: Frame, url: unknown): Frames {
  const image = frameIn(url);
  return image ? { [frame]: image } : {};
}

/** The picture within a data URL; addresses are no pictures that a form could show. */
function frameIn(url: unknown): PartOf<'image'> | undefined {
  const image = imageOf(url);
  return image && /^image\/[\w.+-]+$/.test(image.mimeType) ? image : undefined;
}

function withMeasures(values: Values, { aspectRatio, resolution }: VideoMeaning): Values {
  const fitting = sizes.find(
    (each) =>
      each.aspectRatio === aspectRatio && (resolution === undefined || each.resolution === resolution),
  );
  const said = oneOf(resolutions, resolution)?.toUpperCase();
  const measures = fitting
    ? { size: fitting.size, ratio: undefined, resolution: undefined }
    : { size: undefined, ratio: aspectRatio, resolution: said };
  return (
    [
      [sizePath, measures.size],
      [ratioPath, measures.ratio],
      [resolutionPath, measures.resolution],
    ] as const
  ).reduce((into, [path, value]) => withValue(into, path, value), values);
}
