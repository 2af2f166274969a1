import { decodeInteractions } from '../../../wire/apis/interactions/encode.ts';
import type { VideoRequest } from '../../../wire/apis/videoRoutes.ts';
import { messagesOf, refuseKept, unsupported } from '../prompt.ts';

/** What the demo reads from a request for a video of any format. */
export interface VideoBrief {
  readonly prompt: string;
  /** Width divided by height, if the request tells it. */
  readonly form?: number;
  /** Length of the video in seconds. */
  readonly seconds: number;
  /** Whether the reply holds an address in place of the data. */
  readonly linked: boolean;
}

const usualSeconds = 5;

export function readVideoBrief(request: VideoRequest): VideoBrief {
  switch (request.format) {
    case 'interactions':
      return ofInteraction(request.body);
    case 'videoSynthesis':
      return ofSynthesis(request.body);
  }
}

type Body<Format> = Extract<VideoRequest, { readonly format: Format }>['body'];

function ofInteraction(body: Body<'interactions'>): VideoBrief {
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
    ...formOf(format?.aspect_ratio),
    seconds: Number.parseFloat(format?.duration ?? '') || usualSeconds,
    linked: format?.delivery === 'uri',
  };
}

function ofSynthesis({ input, parameters }: Body<'videoSynthesis'>): VideoBrief {
  return {
    prompt: (input.prompt ?? '').trim(),
    ...formOf(parameters?.size ?? parameters?.ratio),
    seconds: parameters?.duration ?? usualSeconds,
    linked: false,
  };
}

/** Reads `16:9` and `1280*720`. */
function formOf(sides: string | null | undefined): { readonly form?: number } {
  const [, width, height] = /^(\d{1,6})[:*x](\d{1,6})$/.exec(sides ?? '') ?? [];
  const form = Number(width) / Number(height);
  return form > 0 && Number.isFinite(form) ? { form } : {};
}
