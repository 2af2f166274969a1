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
  shortLabel: videoSynthesis.shortLabel,
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
  // A model takes a size, or a resolution with an aspect ratio; one picture to animate, or two to go between.
  exclusions: [
    [
      [['parameters', 'size']],
      [
        ['parameters', 'resolution'],
        ['parameters', 'ratio'],
      ],
    ],
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
