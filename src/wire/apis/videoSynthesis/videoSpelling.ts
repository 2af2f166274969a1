import { withValue } from '../../../base/nestedValues.ts';
import { numberAt, oneOf, textAt, type VideoMeaning, type VideoSpelling } from '../videoMeaning.ts';

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
export const videoSynthesisSpelling: VideoSpelling = {
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
