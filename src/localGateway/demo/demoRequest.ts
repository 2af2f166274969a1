import type { JsonObject } from '../../base/json.ts';
import { isObject } from '../../base/json.ts';
import type { InteractionsRequest } from '../../wire/apis/interactions/schema.ts';
import type { ResponsesRequest } from '../../wire/apis/responses/schema.ts';
import type { ServedFormat } from '../../wire/apis/servedFormats.ts';
import { servedFormats } from '../../wire/apis/servedFormats.ts';
import type { ToolFunction } from '../../wire/apis/shared/functionTools.ts';
import type { ReceivedMessage, Settings } from '../../wire/apis/shared/receivedRequest.ts';
import { lenientNotes, type ReceivedRequest } from '../../wire/apis/shared/receivedRequest.ts';
import type { ReplyForm } from '../../wire/apis/shared/replyForm.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import type { ForeignPart, Message } from '../../wire/message.ts';
import { invalidRequestError, unsupportedError } from '../http/httpError.ts';
import type { CheckedRequest } from '../upstreams/upstream.ts';

/** The tools of a request, and whether it requires their use. */
export interface ToolOffer {
  /** The tools that may be called. */
  readonly tools: readonly ToolFunction[];
  /** Whether at least one of them must be called. */
  readonly isRequired: boolean;
  /** Whether several may be called at once. */
  readonly isParallel: boolean;
}

/** The data that a demo model reads from a request of any format. */
export interface DemoPrompt {
  /** The model ID of the request. */
  readonly model: string;
  readonly messages: readonly Message<ForeignPart>[];
  /** The number of choices. */
  readonly choices: number;
  /** The most tokens of one choice, including reasoning. */
  readonly maxTokens: number;
  /** Texts that end a reply. */
  readonly stop: readonly string[];
  /** Whether the reply must be JSON. */
  readonly requiresJson: boolean;
  /** The JSON Schema of the reply. If it is present, the reply is JSON. */
  readonly schema?: JsonObject | undefined;
  /** Whether the request enables reasoning, if the model can reason. */
  readonly enablesReasoning: boolean;
  readonly tools: ToolOffer;
  /** Whether the request is for a picture; absent if replies in its format cannot contain pictures. */
  readonly requestsPicture?: boolean;
}

/** A request as demo models read it, and the form of its replies. */
export interface DemoRequest {
  readonly prompt: DemoPrompt;
  readonly isStreamed: boolean;
  readonly replies: ReplyForm;
  /** The prefix of reply IDs. */
  readonly idPrefix: string;
  /** Whether reasoning has a signature. */
  readonly isSigned: boolean;
}

/** The properties of the demo that depend on the API format. */
interface DemoFormat {
  readonly idPrefix?: string;
  /** Whether replies cannot contain pictures. */
  readonly lacksPictures?: boolean;
  /** Whether reasoning has a signature; true if absent. */
  isSigned?(request: object): boolean;
  /** @throws {HttpError} 400 for a feature that demo models do not support */
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
      refuseStatefulFields(request, {
        background: 'responses for later; leave it out',
        previous_response_id: 'earlier responses; send the conversation in input',
        conversation: 'conversations; send it in input',
        prompt: 'templates; send the text in input',
      }),
  },
  interactions: {
    idPrefix: 'v1_demo_',
    check(request: Partial<InteractionsRequest>) {
      refuseStatefulFields(request, {
        background: 'interactions for later; leave it out',
        previous_interaction_id: 'earlier interactions; send the conversation in input',
        continuation_token: 'earlier interactions; send the conversation in input',
      });
      const formats = [request.response_format ?? []].flat();
      if (formats.some(({ type }) => type !== 'text' && type !== 'image'))
        throw unsupportedError('response_format.type', 'a demo model writes text and draws images');
    },
  },
};

/**
 * Reads a request for a demo model.
 *
 * @param model the model ID that the caller sent
 * @throws {HttpError} 400 for a feature that demo models do not support
 */
export function readDemoRequest(
  { format, framing = 'whole', body }: CheckedRequest,
  model: string,
): DemoRequest {
  const servedFormat = servedFormats[format];
  const demoFormat = demoFormats[format] ?? {};
  demoFormat.check?.(body);
  const { messages, settings, isStreamed } = readLeniently(servedFormat, body, framing !== 'whole');
  return {
    prompt: {
      model,
      messages: messages.flatMap(removeEmptyParts),
      choices: readChoices(settings.choices),
      maxTokens: settings.outputLimit?.value ?? Infinity,
      stop: settings.stop?.value ?? [],
      requiresJson: settings.responseFormat?.value === 'json',
      schema: readSchema(settings, format),
      enablesReasoning: settings.thoughts?.value !== false && settings.reasoningEffort?.value !== 'none',
      tools: readTools(settings),
      ...(!demoFormat.lacksPictures && { requestsPicture: settings.pictures?.value ?? false }),
    },
    isStreamed,
    replies: servedFormat.createReplies(body, framing === 'array'),
    idPrefix: demoFormat.idPrefix ?? '',
    isSigned: demoFormat.isSigned?.(body) ?? true,
  };
}

function removeEmptyParts({ role, parts }: ReceivedMessage): readonly Message<ForeignPart>[] {
  const contentParts = parts.filter((part) => part.type !== 'text' || part.text !== '');
  return contentParts.length === 0 ? [] : [{ role, parts: contentParts }];
}

const maxChoices = 8;

function readChoices(choices: Settings['choices']): number {
  if (choices && choices.value > maxChoices)
    throw unsupportedError(choices.path, `a demo model writes at most ${maxChoices} choices per request`);
  return choices?.value ?? 1;
}

function readSchema(
  { responseFormat, responseSchema }: Settings,
  format: TextFormatId,
): DemoPrompt['schema'] {
  const schema = responseSchema?.value;
  if (responseFormat?.value === 'json_schema' && !isObject(schema)) {
    const fieldPath = textFormat(format).common.responseSchema?.readPath ?? [];
    throw unsupportedError(fieldPath.join('.'), 'the JSON schema is missing');
  }
  return schema;
}

function readTools({ tools, toolChoice, parallelCalls }: Settings): ToolOffer {
  const { mode = 'auto', names } = toolChoice?.value ?? {};
  const offeredTools = mode === 'none' ? [] : (tools?.value ?? []);
  return {
    tools: names ? offeredTools.filter(({ name }) => names.includes(name)) : offeredTools,
    isRequired: mode === 'required',
    isParallel: parallelCalls?.value !== false,
  };
}

/**
 * Reads a request, ignoring fields that only its format has.
 *
 * @throws {HttpError} 400 if it cannot be read
 */
export function readLeniently(format: ServedFormat, request: object, isStreamed: boolean): ReceivedRequest {
  try {
    return format.read(request, lenientNotes, { shared: [], isStreamed });
  } catch {
    throw invalidRequestError(
      'The conversation cannot be read. Check its tool calls, and how deeply they are nested.',
      'invalid_value',
    );
  }
}

/**
 * Refuses fields that need data of earlier requests, because demo models do not store data.
 *
 * @param statefulFields the fields, each with the missing data and an alternative
 * @throws {HttpError} 400
 */
export function refuseStatefulFields(
  request: object,
  statefulFields: Readonly<Record<string, string>>,
): void {
  for (const [field, missing] of Object.entries(statefulFields)) {
    if (Reflect.get(request, field)) throw unsupportedError(field, `a demo model does not store ${missing}`);
  }
}
