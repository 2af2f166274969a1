import type { JsonObject } from '../../../base/json.ts';
import type { RequestNotes, Setting } from '../shared/receivedRequest.ts';
import type { TaskRecordFormat } from '../taskRecord/taskRecordFormat.ts';

// Formats of videos that only the local gateway uses for its requests. No caller uses these formats.

interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** A requested video, read from the format of its caller. The provider's defaults apply to absent properties. */
export interface VideoOrder {
  readonly prompt: string;
  readonly negativePrompt?: Setting<string> | undefined;
  /** An alternative to the aspect ratio and the resolution. */
  readonly size?: Setting<PixelSize> | undefined;
  /** Such as 16:9. */
  readonly aspectRatio?: Setting<string> | undefined;
  /** In lower case, such as 720p. */
  readonly resolution?: Setting<string> | undefined;
  /** A whole number. */
  readonly seconds?: Setting<number> | undefined;
  readonly seed?: Setting<number> | undefined;
  readonly sound?: Setting<boolean> | undefined;
  readonly watermark?: Setting<boolean> | undefined;
  /** The first picture: a data URL, or an address. */
  readonly first?: Setting<string> | undefined;
  /** The last picture: a data URL, or an address. */
  readonly last?: Setting<string> | undefined;
  /** Further parameters of the provider. */
  readonly metadata?: Setting<JsonObject> | undefined;
}

/** Writes requests for videos in one format. */
export interface VideoForm {
  /** The name of the format, in English. */
  readonly label: string;
  /**
   * @param model the ID at the upstream
   * @returns the body of the request
   */
  write(order: VideoOrder, model: string, notes: RequestNotes): JsonObject;
}

/** The members that the record formats of converted videos share. Callers never read these records. */
export const convertedVideoRecords = {
  type: 'video',
  label: 'video',
  readPrompt: () => '',
  write: () => ({}),
} as const satisfies Partial<TaskRecordFormat>;

const ratios = ['16:9', '9:16', '1:1', '4:3', '3:4', '3:2', '2:3', '21:9', '9:21'] as const;

const pixelsByResolution = { '480p': 854 * 480, '720p': 1280 * 720, '1080p': 1920 * 1080, '4k': 3840 * 2160 };

/** The largest accepted deviation of a size. Providers round the sides of a video to multiples of 16. */
const maxDeviation = 0.05;

/**
 * The aspect ratio and the resolution of a video, also for an order with a size in pixels.
 *
 * @returns undefined for properties that are not set
 */
export function resolveShape(
  { size, aspectRatio, resolution }: VideoOrder,
  notes: RequestNotes,
): { readonly aspectRatio?: string | undefined; readonly resolution?: string | undefined } {
  if (!size) return { aspectRatio: aspectRatio?.value, resolution: resolution?.value };
  const { width, height } = size.value;
  const [ratio] = ratios
    .map((each) => ({ each, deviation: measureDeviation(width / height, parseRatio(each)) }))
    .toSorted((one, other) => one.deviation - other.deviation);
  const [nearest] = Object.entries(pixelsByResolution)
    .map(([each, pixels]) => ({ each, deviation: measureDeviation(width * height, pixels) }))
    .toSorted((one, other) => one.deviation - other.deviation);
  if (!ratio || !nearest || Math.max(ratio.deviation, nearest.deviation) > maxDeviation) {
    notes.refuse(size.path, 'has an aspect ratio and a resolution instead; this size fits none of them');
    return {};
  }
  return { aspectRatio: ratio.each, resolution: nearest.each };
}

function parseRatio(ratio: string): number {
  const [width = 1, height = 1] = ratio.split(':').map(Number);
  return width / height;
}

function measureDeviation(value: number, expected: number): number {
  return Math.abs(Math.log(value / expected));
}

/** The size in pixels of a video, also for an order with an aspect ratio and a resolution. */
export function resolvePixelSize({ size, aspectRatio, resolution }: VideoOrder): PixelSize | undefined {
  if (size) return size.value;
  const height = /^(480|720|1080)p$/.exec(resolution?.value ?? '')?.[1];
  const isTall = aspectRatio?.value === '9:16';
  if (height === undefined || !(isTall || aspectRatio?.value === '16:9')) return undefined;
  const short = Number(height);
  const long = 2 * Math.round((short * 8) / 9);
  return isTall ? { width: short, height: long } : { width: long, height: short };
}

/** The members with a value. */
export function omitUndefined(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
