import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { InteractionsRequest } from '../../wire/apis/interactions/schema.ts';
import { servedFormats } from '../../wire/apis/servedFormats.ts';
import { videoTaskRecordFormats } from '../../wire/apis/taskRecordFormats.ts';
import type { VideoRequest } from '../../wire/apis/videoRoutes.ts';
import { unsupportedError } from '../http/httpError.ts';
import type { PlannedFailure, PlannedResult, PlannedVideo } from '../upstreams/upstream.ts';
import { readLeniently, refuseStatefulFields } from './demoRequest.ts';
import { readVideoPromptOptions, requestedFailureError, type VideoPromptOptions } from './promptOptions.ts';
import { truncateCharacters } from './tokens.ts';

const defaultQueueMs = 2_000;
/** The maximum length of the prompt in the record. */
const maxPromptCharacters = 2_000;
const resultLifetimeMs = 24 * 60 * 60 * 1000;

/**
 * Plans a demo video by the options in its prompt. By default a video of 5 seconds runs for 8 seconds, after 2
 * seconds in the queue.
 *
 * @throws {HttpError} with the status that the prompt requests
 */
export function planVideo(request: VideoRequest): PlannedVideo {
  const { prompt, aspectRatio, seconds, isLinked } = readVideoSpec(request);
  const options = readVideoPromptOptions(prompt);
  if (options.refusal !== undefined) throw requestedFailureError(options.refusal, 'the prompt');
  const failure = planFailure(options);
  return {
    plan: {
      prompt: truncateCharacters(prompt, maxPromptCharacters),
      queueMs: options.queueMs ?? defaultQueueMs,
      runMs: options.runMs ?? 3_000 + 1_000 * Math.min(seconds, 60),
      hasEnd: !options.neverEnds,
      ...(failure && { failure }),
      results: options.isEmpty ? [] : chooseClips(aspectRatio, options.count),
      ...(isLinked && { isLinked }),
      resultLifetimeMs: options.expiresAtOnce ? 0 : resultLifetimeMs,
      isCancellable: !options.cannotBeCancelled,
    },
    replyDelayMs: options.replyDelayMs,
    isReplyDropped: options.isReplyDropped,
  };
}

function planFailure({ failure }: VideoPromptOptions): PlannedFailure | undefined {
  switch (failure) {
    case 'half-way':
      return {
        code: 'demo_failure',
        message: 'The demo video failed half-way, because the prompt requested it.',
        progress: 50,
      };
    case 'content-filter':
      return {
        code: 'content_filter',
        message: 'A filter stopped the demo video half-way, because the prompt requested it.',
        progress: 50,
      };
    case undefined:
      return undefined;
  }
}

/** The content of a request for a video, in any format. */
interface VideoSpec {
  readonly prompt: string;
  /** Width divided by height, if the request has it. */
  readonly aspectRatio?: number;
  /** Length of the video in seconds. */
  readonly seconds: number;
  /** Whether the reply contains an address instead of the data. */
  readonly isLinked: boolean;
}

const defaultSeconds = 5;

function readVideoSpec({ format, body }: VideoRequest): VideoSpec {
  if (format === 'interactions') return readInteraction(body);
  const { prompt, sizeOrRatio, seconds } = videoTaskRecordFormats[format].readRequestedVideo(body);
  return { prompt, ...readAspectRatio(sizeOrRatio), seconds: seconds ?? defaultSeconds, isLinked: false };
}

function readInteraction(body: InteractionsRequest): VideoSpec {
  refuseStatefulFields(body, {
    previous_interaction_id: 'earlier interactions; send their content in input',
    continuation_token: 'earlier interactions; send their content in input',
  });
  const format = [body.response_format ?? []].flat().find(({ type }) => type === 'video');
  if (format?.gcs_uri !== undefined)
    throw unsupportedError('response_format.gcs_uri', 'a demo model has no cloud storage; leave it out');
  const { messages } = readLeniently(servedFormats.interactions, body, false);
  const userMessages = messages.filter(({ role }) => role === 'user');
  const texts = userMessages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? part.text : [])),
  );
  return {
    prompt: texts.join('\n').trim(),
    ...readAspectRatio(format?.aspect_ratio),
    seconds: Number.parseFloat(format?.duration ?? '') || defaultSeconds,
    isLinked: format?.delivery === 'uri',
  };
}

/** Reads a ratio such as `16:9`, or a size such as `1280*720`. */
function readAspectRatio(sizeOrRatio: string | null | undefined): { readonly aspectRatio?: number } {
  const [, width, height] = /^(\d{1,6})[:*x](\d{1,6})$/.exec(sizeOrRatio ?? '') ?? [];
  const aspectRatio = Number(width) / Number(height);
  return aspectRatio > 0 && Number.isFinite(aspectRatio) ? { aspectRatio } : {};
}

/**
 * The clips that are served as videos. scripts/demoClips.mjs renders them as `<name>.mp4`. The first one is the
 * default.
 */
const clips = [
  { name: 'landscape', width: 640, height: 360 },
  { name: 'portrait', width: 360, height: 640 },
  { name: 'square', width: 480, height: 480 },
] as const;

const clipSeconds = 5;

/**
 * Chooses clips for a video: the clip with the nearest aspect ratio first, then the others, so that several
 * results differ.
 *
 * @param aspectRatio width divided by height
 */
function chooseClips(aspectRatio: number | undefined, count: number): readonly PlannedResult[] {
  const measureDistance = ({ width, height }: (typeof clips)[number]) =>
    aspectRatio === undefined ? 0 : Math.abs(Math.log(width / height / aspectRatio));
  const nearest = clips.toSorted((a, b) => measureDistance(a) - measureDistance(b));
  const chosenClips = Array.from({ length: count }, (_, i) => nearest[i % nearest.length] ?? clips[0]);
  return chosenClips.map((clip) => ({ ...clip, mimeType: 'video/mp4', seconds: clipSeconds }));
}

/** Reads the bytes of a planned result from the folder of the clips. */
export async function readClip(folder: string, { name }: PlannedResult): Promise<Buffer> {
  // The name is read from a file that another version of this program may have written.
  const clip = clips.find((each) => each.name === name) ?? clips[0];
  return readFile(join(folder, `${clip.name}.mp4`));
}
