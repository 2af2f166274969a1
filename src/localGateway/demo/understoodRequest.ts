import { isObject } from '../../base/json.ts';
import type { AskedMessage, Settings } from '../../wire/apis/format/askedRequest.ts';
import type { ReplyForm } from '../../wire/apis/format/replyForm.ts';
import type { InteractionsRequest } from '../../wire/apis/interactions/request.ts';
import type { ResponsesRequest } from '../../wire/apis/responses/request.ts';
import { servedFormats } from '../../wire/apis/servedFormats.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import type { ForeignPart, Message } from '../../wire/message.ts';
import type { CheckedRequest } from '../upstreams/upstream.ts';
import { type Prompt, readLeniently, refuseKept, type ToolOffer, unsupported } from './prompt.ts';

/** A request as a demo model reads it, and how replies to it are written. */
export interface UnderstoodRequest {
  readonly prompt: Prompt;
  readonly streamed: boolean;
  readonly replies: ReplyForm;
  /** How the ids of replies begin. */
  readonly idPrefix: string;
  /** Whether reasoning comes with its signature. */
  readonly isSigned: boolean;
}

/** How the demo differs between API formats. */
interface DemoFormat {
  readonly idPrefix?: string;
  /** Whether replies cannot hold pictures. */
  readonly lacksPictures?: boolean;
  /** By default it is. */
  isSigned?(request: object): boolean;
  /** @throws {HttpError} 400 for what a demo model does not do */
  check?(request: object): void;
}

const demoFormats: Readonly<Partial<Record<TextFormatId, DemoFormat>>> = {
  chatCompletions: { idPrefix: 'chatcmpl-demo-' },
  messages: { idPrefix: 'msg_demo_', lacksPictures: true },
  responses: {
    idPrefix: 'resp_demo_',
    isSigned: ({ include }: Partial<ResponsesRequest>) =>
      include?.includes('reasoning.encrypted_content') === true,
    check: (request) =>
      refuseKept(request, {
        background: 'response to be read later; leave it out',
        previous_response_id: 'earlier response; send the conversation in input',
        conversation: 'conversation; send it in input',
        prompt: 'template; send its text in input',
      }),
  },
  interactions: {
    idPrefix: 'v1_demo_',
    check(request: Partial<InteractionsRequest>) {
      refuseKept(request, {
        background: 'interaction to be read later; leave it out',
        previous_interaction_id: 'earlier interaction; send the conversation in input',
        continuation_token: 'earlier interaction; send the conversation in input',
      });
      const formats = [request.response_format ?? []].flat();
      if (formats.some(({ type }) => type !== 'text' && type !== 'image'))
        throw unsupported('response_format.type', 'a demo model writes text and draws images');
    },
  },
};

/**
 * Reads a request as a demo model does.
 *
 * @param model the model id as the caller wrote it
 * @throws {HttpError} 400 for what a demo model does not do
 */
export function understoodRequest(
  { format, framing = 'whole', body }: CheckedRequest,
  model: string,
): UnderstoodRequest {
  const served = servedFormats[format];
  const demo = demoFormats[format] ?? {};
  demo.check?.(body);
  const { messages, settings, streamed } = readLeniently(served, body, framing !== 'whole');
  return {
    prompt: {
      model,
      messages: messages.flatMap(saidIn),
      choices: choicesOf(settings.choices),
      maxTokens: settings.outputLimit?.value ?? Infinity,
      stop: settings.stop?.value ?? [],
      json: settings.responseFormat?.value === 'json',
      schema: schemaOf(settings, format),
      thinking: settings.thoughts?.value !== false && settings.reasoningEffort?.value !== 'none',
      tools: toolsOf(settings),
      ...(!demo.lacksPictures && { picture: settings.pictures?.value ?? false }),
    },
    streamed,
    replies: served.replies(body, framing === 'array'),
    idPrefix: demo.idPrefix ?? '',
    isSigned: demo.isSigned?.(body) ?? true,
  };
}

function saidIn({ role, parts }: AskedMessage): readonly Message<ForeignPart>[] {
  const said = parts.filter((part) => part.type !== 'text' || part.text !== '');
  return said.length === 0 ? [] : [{ role, parts: said }];
}

const maxChoices = 8;

function choicesOf(choices: Settings['choices']): number {
  if (choices && choices.value > maxChoices)
    throw unsupported(choices.at, `a demo model writes at most ${maxChoices} answers at once`);
  return choices?.value ?? 1;
}

function schemaOf({ responseFormat, responseSchema }: Settings, format: TextFormatId): Prompt['schema'] {
  const schema = responseSchema?.value;
  if (responseFormat?.value === 'json_schema' && !isObject(schema)) {
    const place = textFormat(format).common.responseSchema?.heldAt ?? [];
    throw unsupported(place.join('.'), 'it needs a JSON schema, which is missing');
  }
  return schema;
}

function toolsOf({ tools, toolChoice, parallelCalls }: Settings): ToolOffer {
  const { mode = 'auto', names } = toolChoice?.value ?? {};
  const offered = mode === 'none' ? [] : (tools?.value ?? []);
  return {
    tools: names ? offered.filter(({ name }) => names.includes(name)) : offered,
    required: mode === 'required',
    parallel: parallelCalls?.value !== false,
  };
}
