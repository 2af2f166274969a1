import { servedFormats } from '../../../wire/apis/servedFormats.ts';
import type { VideoRequest } from '../../../wire/apis/videoRoutes.ts';
import type { PlannedFailure, PlannedVideo } from '../../upstreams/upstream.ts';
import { readLeniently, refuseKept, unsupported } from '../prompt.ts';
import { requestedFailure } from '../simulatedFaults.ts';
import { truncateCharacters } from '../tokens.ts';
import { readVideoPromptOptions, type VideoPromptOptions } from '../videoPromptOptions.ts';
import { chooseClips } from './clips.ts';

const defaultQueueMs = 2_000;
/** Longer prompts are cut in the record. */
const maxPromptCharacters = 2_000;
const resultLifetimeMs = 24 * 60 * 60 * 1000;

/**
 * Plans a demo video by the options in its prompt. By default a video of 5 seconds runs for 8 seconds, after
 * 2 seconds in the queue.
 *
 * @throws {HttpError} with the status that the prompt asks for
 */
export function planVideo(request: VideoRequest): PlannedVideo {
  const { prompt, aspectRatio, seconds, linked } = readVideoSpec(request);
  const options = readVideoPromptOptions(prompt);
  if (options.refusal !== undefined) throw requestedFailure(options.refusal, 'the prompt');
  const failure = failureOf(options);
  return {
    plan: {
      prompt: truncateCharacters(prompt, maxPromptCharacters),
      queueMs: options.queueMs ?? defaultQueueMs,
      runMs: options.runMs ?? 3_000 + 1_000 * Math.min(seconds, 60),
      ends: !options.neverEnds,
      ...(failure && { failure }),
      results: options.isEmpty ? [] : chooseClips(aspectRatio, options.count),
      ...(linked && { linked }),
      resultLifetimeMs: options.expiresAtOnce ? 0 : resultLifetimeMs,
      cancellable: !options.cannotBeCancelled,
    },
    answerAfterMs: options.answerAfterMs,
    losesAnswer: options.losesAnswer,
  };
}

function failureOf({ failure }: VideoPromptOptions): PlannedFailure | undefined {
  switch (failure) {
    case 'half-way':
      return {
        code: 'demo_failure',
        message: 'The demo video failed half-way, because the prompt asked for it.',
        progress: 50,
      };
    case 'content-filter':
      return {
        code: 'content_filter',
        message: 'A filter stopped the demo video half-way, because the prompt asked for it.',
        progress: 50,
      };
    case undefined:
      return undefined;
  }
}

/** What the demo reads from a request for a video of any format. */
interface VideoSpec {
  readonly prompt: string;
  /** Width divided by height, if the request tells it. */
  readonly aspectRatio?: number;
  /** Length of the video in seconds. */
  readonly seconds: number;
  /** Whether the reply holds an address in place of the data. */
  readonly linked: boolean;
}

const defaultSeconds = 5;

function readVideoSpec(request: VideoRequest): VideoSpec {
  switch (request.format) {
    case 'interactions':
      return ofInteraction(request.body);
    case 'videoSynthesis':
      return ofSynthesis(request.body);
  }
}

type Body<Format> = Extract<VideoRequest, { readonly format: Format }>['body'];

function ofInteraction(body: Body<'interactions'>): VideoSpec {
  refuseKept(body, {
    previous_interaction_id: 'earlier interaction; send what it takes in input',
    continuation_token: 'earlier interaction; send what it takes in input',
  });
  const format = [body.response_format ?? []].flat().find(({ type }) => type === 'video');
  if (format?.gcs_uri !== undefined)
    throw unsupported('response_format.gcs_uri', 'a demo model has no cloud storage; leave it out');
  const { messages } = readLeniently(servedFormats.interactions, body, false);
  const said = messages.filter(({ role }) => role === 'user');
  const texts = said.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? part.text : [])));
  return {
    prompt: texts.join('\n').trim(),
    ...aspectRatioOf(format?.aspect_ratio),
    seconds: Number.parseFloat(format?.duration ?? '') || defaultSeconds,
    linked: format?.delivery === 'uri',
  };
}

function ofSynthesis({ input, parameters }: Body<'videoSynthesis'>): VideoSpec {
  return {
    prompt: (input.prompt ?? '').trim(),
    ...aspectRatioOf(parameters?.size ?? parameters?.ratio),
    seconds: parameters?.duration ?? defaultSeconds,
    linked: false,
  };
}

/** Reads `16:9` and `1280*720`. */
function aspectRatioOf(sides: string | null | undefined): { readonly aspectRatio?: number } {
  const [, width, height] = /^(\d{1,6})[:*x](\d{1,6})$/.exec(sides ?? '') ?? [];
  const aspectRatio = Number(width) / Number(height);
  return aspectRatio > 0 && Number.isFinite(aspectRatio) ? { aspectRatio } : {};
}
