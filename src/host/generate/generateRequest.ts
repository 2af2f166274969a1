import { valueAt, withValue } from '../../base/nestedValues.ts';
import type { TaskRoute } from '../../client/types.ts';
import type { Image } from '../../conversations/reply.ts';
import type { Frame } from '../../protocol/generatePage.ts';

type Values = Readonly<Record<string, unknown>>;

/** The pictures a video begins and ends with. */
export type Frames = Readonly<Partial<Record<Frame, Image>>>;

/** Which pictures a route has a place for. */
export function framesOf(route: TaskRoute): readonly Frame[] {
  return route === 'interactions' ? ['first'] : ['first', 'last'];
}

/** The body of a request: what the form says, the model, and the pictures where the route has a place for them. */
export function generateRequest(route: TaskRoute, model: string, values: Values, frames: Frames): Values {
  const body = { model, ...values };
  return route === 'interactions' ? withInteractionFrames(body, frames) : withSynthesisFrames(body, frames);
}

const taskPath = ['generation_config', 'video_config', 'task'] as const;

function withInteractionFrames(body: Values, { first }: Frames): Values {
  if (!first) return body;
  const { mimeType: mime_type, data } = first;
  const text = typeof body.input === 'string' ? [{ type: 'text', text: body.input }] : [];
  const withPicture = { ...body, input: [...text, { type: 'image', mime_type, data }] };
  // A picture to begin with makes it another kind of task, unless the user said which.
  return valueAt(body, taskPath) === 'text_to_video'
    ? withValue(withPicture, taskPath, 'image_to_video')
    : withPicture;
}

function withSynthesisFrames(body: Values, { first, last }: Frames): Values {
  const place = (path: string, image: Image | undefined) => (into: Values) =>
    image ? withValue(into, ['input', path], dataUrl(image)) : into;
  // Models that animate one picture know it by another name than those that go from one to another.
  const withFirst = place(last ? 'first_frame_url' : 'img_url', first)(body);
  return place('last_frame_url', last)(withFirst);
}

function dataUrl({ mimeType, data }: Image): string {
  return `data:${mimeType};base64,${data}`;
}

/** A request that was sent, taken apart again into what the form holds. */
export function recipeOf(
  route: TaskRoute,
  request: Values,
): { readonly values: Values; readonly frames: Frames } {
  const { model: _, ...values } = request;
  return route === 'interactions' ? interactionRecipe(values) : synthesisRecipe(values);
}

function interactionRecipe(values: Values): { values: Values; frames: Frames } {
  const pieces: readonly unknown[] = Array.isArray(values.input) ? values.input : [];
  const [text, picture, ...others] = pieces;
  const first = imageOf(valueAt(picture, ['mime_type']), valueAt(picture, ['data']));
  const prompt = valueAt(text, ['text']);
  if (others.length > 0 || first === undefined || typeof prompt !== 'string') return { values, frames: {} };
  return { values: { ...values, input: prompt }, frames: { first } };
}

function synthesisRecipe(values: Values): { values: Values; frames: Frames } {
  const frames: Frames = {
    ...named(
      'first',
      fromDataUrl(valueAt(values, ['input', 'first_frame_url']) ?? valueAt(values, ['input', 'img_url'])),
    ),
    ...named('last', fromDataUrl(valueAt(values, ['input', 'last_frame_url']))),
  };
  const input = Object.entries((values.input ?? {}) as Values);
  const kept = input.filter(
    ([name, value]) => !/^(first_frame|last_frame|img)_url$/.test(name) || !fromDataUrl(value),
  );
  return { values: { ...values, input: Object.fromEntries(kept) }, frames };
}

function named(frame: Frame, image: Image | undefined): Frames {
  return image ? { [frame]: image } : {};
}

function imageOf(mimeType: unknown, data: unknown): Image | undefined {
  if (typeof mimeType !== 'string' || typeof data !== 'string') return undefined;
  return { type: 'image', mimeType, data };
}

function fromDataUrl(value: unknown): Image | undefined {
  const [, mimeType, data] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(String(value)) ?? [];
  return imageOf(mimeType, data);
}

/** A request for people to read: long data in it is told by its length. */
export function readableRequest(request: unknown): string {
  return JSON.stringify(
    request,
    (_, value) =>
      typeof value === 'string' && value.length > longestString
        ? `${value.slice(0, 64)}… (${value.length.toLocaleString()} characters)`
        : value,
    2,
  );
}

const longestString = 16_384;
