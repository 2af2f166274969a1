import { isObject, type JsonObject, nonEmptyString, objectsIn, scalarText } from '../../base/json.ts';
import type { VideoOrder } from '../../wire/apis/convertedVideos/videoOrder.ts';
import {
  checkFields,
  type FieldRules,
  type RequestNotes,
  type Setting,
  toSetting,
} from '../../wire/apis/shared/receivedRequest.ts';
import { invalidFieldError } from '../http/query.ts';

/** A video format that callers use. */
export type CallerVideoFormat = 'interactions' | 'videoSynthesis' | 'videos';

/**
 * Reads a request for a video whose upstream uses another format.
 *
 * @param body matches the schema of its format, if it has one
 * @throws {HttpError} 400 with the name of a field that is invalid, or that `notes` refuses
 */
export function readVideoOrder(format: CallerVideoFormat, body: JsonObject, notes: RequestNotes): VideoOrder {
  const order = readers[format](body, notes);
  const hasPicture = order.first !== undefined || order.last !== undefined;
  if (order.prompt.trim() === '' && !hasPicture)
    throw invalidFieldError(promptFields[format], 'what the video should show');
  return order;
}

const readers: Readonly<Record<CallerVideoFormat, (body: JsonObject, notes: RequestNotes) => VideoOrder>> = {
  interactions: readInteraction,
  videoSynthesis: readSynthesis,
  videos: readVideoJob,
};

const promptFields: Readonly<Record<CallerVideoFormat, string>> = {
  interactions: 'input',
  videoSynthesis: 'input.prompt',
  videos: 'prompt',
};

const noReferences = 'has no reference pictures or clips';

function readVideoJob(body: JsonObject, notes: RequestNotes): VideoOrder {
  const { prompt, size, seconds, input_reference: reference, metadata } = body;
  const rules: FieldRules = {
    read: ['model', 'prompt', 'size', 'seconds', 'input_reference', 'seed', 'metadata'],
    hints: ['user'],
    constraints: {},
  };
  checkFields(body, rules, notes);
  const picture = isObject(reference) ? reference.image_url : reference;
  return {
    prompt: readText(prompt, 'prompt'),
    size: readSize(size, 'size', 'x'),
    seconds: readSeconds(seconds, 'seconds'),
    seed: readWholeNumber(body.seed, 'seed'),
    first: readPicture(picture, 'input_reference', notes),
    metadata:
      isObject(metadata) && Object.keys(metadata).length > 0 ? toSetting(metadata, 'metadata') : undefined,
  };
}

const synthesisRules: FieldRules = {
  read: ['model', 'input', 'parameters'],
  hints: [],
  constraints: {},
};

const synthesisInputRules: FieldRules = {
  read: ['prompt', 'negative_prompt', 'img_url', 'first_frame_url', 'last_frame_url', 'media'],
  hints: [],
  constraints: {
    audio_url: 'accepts no sound',
    template: 'has no effects by name',
    reference_urls: noReferences,
  },
};

const synthesisParameterRules: FieldRules = {
  read: ['size', 'resolution', 'ratio', 'duration', 'seed', 'watermark', 'audio'],
  hints: ['prompt_extend'],
  constraints: { shot_type: 'has no number of shots' },
};

function readSynthesis(body: JsonObject, notes: RequestNotes): VideoOrder {
  const input = readObject(body.input);
  const parameters = readObject(body.parameters);
  checkFields(body, synthesisRules, notes);
  checkFields(input, synthesisInputRules, notes, 'input.');
  checkFields(parameters, synthesisParameterRules, notes, 'parameters.');
  const media = new Map<string, Setting<string>>();
  for (const [index, { type, url }] of objectsIn(input.media).entries()) {
    const path = `input.media[${index}]`;
    const picture = readPicture(url, path, notes);
    const kind = String(type);
    if (!/^(?:first|last)_frame$/.test(kind) || media.has(kind)) notes.refuse(path, noReferences);
    else if (picture) media.set(kind, picture);
  }
  const { size, resolution, ratio, duration, watermark, audio } = parameters;
  return {
    prompt: readText(input.prompt, 'input.prompt'),
    negativePrompt: readTextSetting(input.negative_prompt, 'input.negative_prompt'),
    size: readSize(size, 'parameters.size', '*'),
    aspectRatio: readTextSetting(ratio, 'parameters.ratio'),
    resolution: readResolution(resolution, 'parameters.resolution'),
    seconds: readSeconds(duration, 'parameters.duration'),
    seed: readWholeNumber(parameters.seed, 'parameters.seed'),
    sound: readFlag(audio, 'parameters.audio'),
    watermark: readFlag(watermark, 'parameters.watermark'),
    first:
      readPicture(input.first_frame_url, 'input.first_frame_url', notes) ??
      readPicture(input.img_url, 'input.img_url', notes) ??
      media.get('first_frame'),
    last: readPicture(input.last_frame_url, 'input.last_frame_url', notes) ?? media.get('last_frame'),
  };
}

const interactionRules: FieldRules = {
  read: ['model', 'input', 'response_format', 'generation_config', 'background', 'store', 'stream'],
  hints: ['labels', 'service_tier'],
  constraints: {
    previous_interaction_id: 'cannot continue an earlier request',
    system_instruction: 'has no system instructions',
    tools: 'has no tools',
    safety_settings: 'has no safety settings',
    webhook_config: 'does not report the end of a task',
  },
};

function readInteraction(body: JsonObject, notes: RequestNotes): VideoOrder {
  checkFields(body, interactionRules, notes);
  // The gateway stores every task.
  if (body.store === false) notes.drop('store');
  const [format = {}, another] = [body.response_format].flat().filter(isObject);
  if (another) notes.refuse('response_format', 'makes only one result');
  const formatFields = ['type', 'aspect_ratio', 'resolution', 'duration'];
  const formatRules: FieldRules = {
    read: formatFields,
    // The gateway serves the result at its own address.
    hints: ['delivery', 'mime_type'],
    constraints: { gcs_uri: 'cannot store the result elsewhere' },
  };
  checkFields(format, formatRules, notes, 'response_format.');
  const config = readObject(body.generation_config);
  const configRules: FieldRules = { read: ['seed', 'video_config'], hints: [], constraints: {} };
  checkFields(config, configRules, notes, 'generation_config.');
  const { task, ...video } = readObject(config.video_config);
  const videoPath = 'generation_config.video_config.';
  checkFields(video, { read: [], hints: [], constraints: {} }, notes, videoPath);
  if (task !== undefined && !/^(?:text|image)_to_video$/.test(String(task)))
    notes.refuse(`${videoPath}task`, 'makes videos only from a text and pictures');
  const { aspect_ratio, resolution, duration } = format;
  return {
    ...readInteractionInput(body.input, notes),
    aspectRatio: readTextSetting(aspect_ratio, 'response_format.aspect_ratio'),
    resolution: readResolution(resolution, 'response_format.resolution'),
    seconds: readSeconds(scalarText(duration).replace(/s$/, ''), 'response_format.duration'),
    seed: readWholeNumber(config.seed, 'generation_config.seed'),
  };
}

/** Reads the prompt and the first picture of an input, which is a text, a list of contents, or one step of a user. */
function readInteractionInput(input: unknown, notes: RequestNotes): Pick<VideoOrder, 'prompt' | 'first'> {
  if (typeof input === 'string') return { prompt: input };
  const [only, ...others] = [input].flat();
  const isStep = others.length === 0 && isObject(only) && only.type === 'user_input';
  const contents = objectsIn(isStep ? only.content : [input].flat());
  const texts: string[] = [];
  let first: Setting<string> | undefined;
  for (const [index, { type, text, data, uri, mime_type: mimeType }] of contents.entries()) {
    const path = `input[${index}]`;
    if (type === 'text') texts.push(readText(text, `${path}.text`));
    else if (type === 'image' && !first)
      first = readPicture(data === undefined ? uri : `data:${mimeType};base64,${data}`, path, notes);
    else notes.refuse(path, 'accepts only a text and a first picture');
  }
  return { prompt: texts.join('\n'), first };
}

function readObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

function readText(value: unknown, path: string): string {
  if (value == null) return '';
  if (typeof value === 'string') return value;
  throw invalidFieldError(path, 'a text');
}

function readTextSetting(value: unknown, path: string): Setting<string> | undefined {
  return toSetting(nonEmptyString(readText(value, path)), path);
}

function readResolution(value: unknown, path: string): Setting<string> | undefined {
  return toSetting(readTextSetting(value, path)?.value.toLowerCase(), path);
}

function readFlag(value: unknown, path: string): Setting<boolean> | undefined {
  return toSetting(typeof value === 'boolean' ? value : undefined, path);
}

function readPicture(value: unknown, path: string, notes: RequestNotes): Setting<string> | undefined {
  const url = nonEmptyString(value);
  if (url !== undefined && /^(?:data:image\/[\w.+-]+;base64,|https?:\/\/)/i.test(url))
    return toSetting(url, path);
  if (value != null && value !== '')
    notes.refuse(path, 'accepts pictures only as base64 data or as an address that begins with https:');
  return undefined;
}

function readSeconds(value: unknown, path: string): Setting<number> | undefined {
  if (value == null || value === '') return undefined;
  const seconds = Number(scalarText(value));
  if (Number.isInteger(seconds) && seconds > 0) return toSetting(seconds, path);
  throw invalidFieldError(path, 'a whole number of seconds from 1 up');
}

function readWholeNumber(value: unknown, path: string): Setting<number> | undefined {
  if (value == null || value === '') return undefined;
  const number = Number(scalarText(value) || Number.NaN);
  if (Number.isSafeInteger(number)) return toSetting(number, path);
  throw invalidFieldError(path, 'a whole number');
}

function readSize(value: unknown, path: string, separator: 'x' | '*'): VideoOrder['size'] {
  if (value == null || value === '') return undefined;
  const [width = 0, height = 0, ...others] = scalarText(value).split(separator).map(Number);
  if (Number.isInteger(width) && Number.isInteger(height) && width > 0 && height > 0 && others.length === 0)
    return toSetting({ width, height }, path);
  throw invalidFieldError(path, `width ${separator} height in pixels, such as 1280${separator}720`);
}
