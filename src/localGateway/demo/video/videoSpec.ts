import { decodeInteractions } from '../../../wire/apis/interactions/encode.ts';
import type { VideoRequest } from '../../../wire/apis/videoRoutes.ts';
import { messagesOf, refuseKept, unsupported } from '../prompt.ts';

/** What the demo reads from a request for a video of any format. */
export interface VideoSpec {
  readonly prompt: string;
  /** Width divided by height, if the request tells it. */
  readonly aspectRatio?: number;
  /** Length of the video in seconds. */
  readonly seconds: number;
  /** Whether the reply holds an address in place of the data. */
  readonly linked: boolean;
}

const defaultSeconds = 5;

export function readVideoSpec(request: VideoRequest): VideoSpec {
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
  const said = messagesOf(() => decodeInteractions(body)).filter(({ role }) => role === 'user');
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
