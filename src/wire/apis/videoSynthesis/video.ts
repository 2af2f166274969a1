import { isObject } from '../../../base/json.ts';
import { valueAt, withValue } from '../../../base/nestedValues.ts';
import { dataUrl, imageOf, type PartOf } from '../encoding.ts';
import type { Frame, Frames, VideoRoute } from '../videoRoute.ts';
import { videoSynthesis } from './format.ts';
import { videoSynthesisSpelling } from './videoSpelling.ts';

type Values = Readonly<Record<string, unknown>>;

/** Videos by the native route, which makes nothing else. */
export const videoSynthesisVideo = {
  id: 'videoSynthesis',
  label: videoSynthesis.label,
  route: videoSynthesis.route,
  error: videoSynthesis.error,
  vendorHeaders: { vendorAsync: 'enable' },
  ownFields: ['model'],
  defaults: { parameters: { size: '1280*720', duration: 5 } },
  promptPath: ['input', 'prompt'],
  durationPath: ['parameters', 'duration'],
  measurePaths: [
    ['parameters', 'size'],
    ['parameters', 'ratio'],
  ],
  models: /\bwanx?[\d-]|t2v|i2v/i,
  spelling: videoSynthesisSpelling,
  frames: ['first', 'last'],
  withFrames,
  takeFrames,
} as const satisfies VideoRoute;

function withFrames(request: Values, { first, last }: Frames): Values {
  const place = (name: string, image: PartOf<'image'> | undefined) => (into: Values) =>
    image ? withValue(into, ['input', name], dataUrl(image)) : into;
  // Models that animate one picture know it by another name than those that go from one to another.
  const withFirst = place(last ? 'first_frame_url' : 'img_url', first)(request);
  return place('last_frame_url', last)(withFirst);
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
