import { withValue } from '../../../base/nestedValues.ts';
import { numberAt, oneOf, textAt, type VideoSpelling } from '../videoMeaning.ts';

const promptPath = ['input'] as const;
const aspectRatioPath = ['response_format', 'aspect_ratio'] as const;
const resolutionPath = ['response_format', 'resolution'] as const;
const durationPath = ['response_format', 'duration'] as const;
const seedPath = ['generation_config', 'seed'] as const;

const resolutions = ['360p', '720p', '1080p', '4k'] as const;

/** How interactions write what a video is to be. */
export const interactionsSpelling: VideoSpelling = {
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

function secondsIn(duration: string | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(duration ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
