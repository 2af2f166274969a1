import type { PlannedFailure, VideoOrder, VideoRequest } from '../../upstreams/upstream.ts';
import { clip } from '../tokens.ts';
import { wantedFailure } from '../wantedFailure.ts';
import { chooseClips } from './clips.ts';
import { readVideoBrief } from './videoBrief.ts';
import { readVideoPromptOptions, type VideoPromptOptions } from './videoPromptOptions.ts';

const usualQueueMs = 2_000;
/** Longer prompts are cut in the record. */
const mostPromptCharacters = 2_000;
const resultLifetimeMs = 24 * 60 * 60 * 1000;

/**
 * Plans a demo video by the options in its prompt. By default a video of 5 seconds runs for 8 seconds, after
 * 2 seconds in the queue.
 *
 * @throws {HttpError} with the status that the prompt asks for
 */
export function planVideo(request: VideoRequest): VideoOrder {
  const { prompt, form, seconds, linked } = readVideoBrief(request);
  const wishes = readVideoPromptOptions(prompt);
  if (wishes.refusal !== undefined) throw wantedFailure(wishes.refusal, 'the prompt');
  const failure = failureOf(wishes);
  return {
    plan: {
      prompt: clip(prompt, mostPromptCharacters),
      queueMs: wishes.queueMs ?? usualQueueMs,
      runMs: wishes.runMs ?? 3_000 + 1_000 * Math.min(seconds, 60),
      ends: !wishes.neverEnds,
      ...(failure && { failure }),
      results: wishes.isEmpty ? [] : chooseClips(form, wishes.count),
      ...(linked && { linked }),
      resultLifetimeMs: wishes.expiresAtOnce ? 0 : resultLifetimeMs,
      cancellable: !wishes.cannotBeCancelled,
    },
    answerAfterMs: wishes.answerAfterMs,
    losesAnswer: wishes.losesAnswer,
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
