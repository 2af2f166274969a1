import type { VideoRequest } from '../../../wire/apis/videoRoutes.ts';
import type { PlannedFailure, PlannedVideo } from '../../upstreams/upstream.ts';
import { requestedFailure } from '../requestedFailure.ts';
import { truncateCharacters } from '../tokens.ts';
import { chooseClips } from './clips.ts';
import { readVideoPromptOptions, type VideoPromptOptions } from './videoPromptOptions.ts';
import { readVideoSpec } from './videoSpec.ts';

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
