import type { FormatRequest } from '../../../../client/types.ts';
import type { TurnModel, VerbatimTurn } from '../../../../conversations/verbatim/verbatimTurns.ts';
import { isReasoningModel } from '../../../../wire/apis/chatCompletions/commonParameters.ts';
import type { RequestTool } from '../../../../wire/apis/shared/functionTools.ts';
import { addOwnMarks, type CacheSupport } from '../../../../wire/apis/shared/promptCaching.ts';
import { type ContentRules, writeRequestBody } from '../../../../wire/apis/shared/requestForm.ts';
import type { RequestSettings } from '../../../../wire/apis/shared/requestSettings.ts';
import { requestForms, textFormat } from '../../../../wire/apis/textFormats.ts';
import type { ForeignMessage, ForeignPart, ForeignResult } from '../../../../wire/message.ts';
import { buildConversationKey } from '../../../connection/requestCaching.ts';
import { sentToolName } from '../toolNames.ts';
import { callIds, turnIds } from './turnIds.ts';

/** A request to a model, independent of its API format. */
interface ModelRequestInit {
  readonly turnModel: TurnModel;
  readonly messages: readonly ForeignMessage[];
  /** The stored turns by their ids. */
  readonly turns: ReadonlyMap<string, VerbatimTurn>;
  readonly settings: Partial<RequestSettings>;
  /** The most tokens that the model writes, if known. */
  readonly maxOutput?: number;
  readonly caching: CacheSupport;
}

/**
 * The messages format requires an output limit. If the model's limit is below this value, the model's limit is sent
 * instead of the format's default.
 */
const minOutputLimit = 8192;

/** Creates a request in an API format. Settings that the format does not support are omitted. */
export function modelRequest({
  turnModel,
  messages,
  turns,
  settings,
  maxOutput,
  caching,
}: ModelRequestInit): FormatRequest {
  const { format, model } = turnModel;
  const form = requestForms[format];
  const hasLowLimit = format === 'messages' && maxOutput !== undefined && maxOutput < minOutputLimit;
  const conversation = conversationToSend(messages, turns, turnModel, form.contentRules);
  const { messages: marked, marksTools } = addOwnMarks(conversation, format, caching);
  const content = {
    model,
    messages: marked,
    settings: {
      ...(hasLowLimit && { outputLimit: maxOutput }),
      ...settings,
      ...(marksTools && settings.tools && { tools: markLastTool(settings.tools, caching) }),
    },
    isStreamed: true,
  };
  const body = writeRequestBody(form, content, () => {});
  const key = caching.acceptsKey && { prompt_cache_key: buildConversationKey(messages) };
  // Encrypted reasoning can be sent back. Without it, the model would start thinking again after each tool call.
  const encrypted = format === 'responses' &&
    isReasoningModel(model) && { include: ['reasoning.encrypted_content'] };
  return { format: textFormat(format), model, body: { ...encrypted, ...key, ...body } };
}

function markLastTool(
  tools: readonly RequestTool[],
  { marks: member }: CacheSupport,
): readonly RequestTool[] {
  const last = tools.at(-1);
  return last && member ? tools.with(-1, { ...last, cacheMark: { member } }) : tools;
}

/**
 * The conversation to send to a model: its own stored turns unchanged, and text instead of parts that its API format
 * does not support. The note of a stored turn is added to the message after it.
 *
 * @param turns the stored turns of models, by `turnIds`
 */
export function conversationToSend(
  messages: readonly ForeignMessage[],
  turns: ReadonlyMap<string, VerbatimTurn>,
  turnModel: TurnModel,
  contentRules: ContentRules,
): readonly ForeignMessage[] {
  const ids = turnIds(messages, turnModel);
  const ownTurns = messages.map((message, nth) =>
    matchingTurn(message, turns.get(ids[nth] ?? ''), turnModel),
  );
  const ownIds = new Map(
    ownTurns.flatMap((turn) => turn?.calls.map(({ id, ownId }) => [id, ownId] as const) ?? []),
  );
  return messages.map((message, nth) => {
    const turn = ownTurns[nth];
    const note = ownTurns[nth - 1]?.note;
    const parts = message.parts.flatMap((part) =>
      supportedParts(withSentNames(part, ownIds), message.role, contentRules),
    );
    return {
      role: message.role,
      parts: note === undefined ? parts : [...parts, { type: 'text', text: note }],
      ...(turn && { verbatim: turn.verbatim }),
    };
  });
}

/** The stored turn of a message, if all its calls are present and it is from the same model. */
function matchingTurn(
  message: ForeignMessage,
  turn: VerbatimTurn | undefined,
  { gateway, model, format }: TurnModel,
): VerbatimTurn | undefined {
  const ids = callIds(message);
  if (!turn || turn.calls.length !== ids.length || turn.calls.some(({ id }, nth) => id !== ids[nth]))
    return undefined;
  const { turnModel } = turn;
  return turnModel.gateway === gateway && turnModel.model === model && turnModel.format === format
    ? turn
    : undefined;
}

/** A call or result with the provider's id and with the tool's name in requests; other parts unchanged. */
function withSentNames(part: ForeignPart, ownIds: ReadonlyMap<string, string>): ForeignPart {
  if (part.type !== 'toolCall' && part.type !== 'toolResult') return part;
  return { ...part, id: ownIds.get(part.id) ?? part.id, name: sentToolName(part.name) };
}

function supportedParts(
  part: ForeignPart,
  role: ForeignMessage['role'],
  { pictureTypes, documentTypes, allowsPicturesInReplies }: ContentRules,
): readonly ForeignPart[] {
  switch (part.type) {
    case 'image':
      if (role === 'user') return [supportedPicture(part, pictureTypes)];
      return role === 'assistant' && allowsPicturesInReplies ? [part] : [omissionNote(part.mimeType)];
    case 'document':
      return role !== 'user' || (documentTypes && !documentTypes.has(part.mimeType))
        ? [omissionNote(part.mimeType)]
        : [part];
    case 'toolResult':
      return [supportedResult(part, pictureTypes)];
    default:
      return [part];
  }
}

function supportedResult(
  result: ForeignPart & ForeignResult,
  types: ReadonlySet<string> | undefined,
): ForeignPart {
  const { pictures = [], ...rest } = result;
  const isSupported = ({ mimeType }: (typeof pictures)[number]) => !types || types.has(mimeType);
  const supported = pictures.filter(isSupported);
  const notes = pictures
    .filter((each) => !isSupported(each))
    .map(({ mimeType }) => omissionNote(mimeType, types));
  const text = [rest.text, ...notes.map((each) => each.text)].filter(Boolean).join('\n');
  return { ...rest, text, ...(supported.length > 0 && { pictures: supported }) };
}

function supportedPicture(
  part: Extract<ForeignPart, { type: 'image' }>,
  types: ReadonlySet<string> | undefined,
): ForeignPart {
  return !types || types.has(part.mimeType) ? part : omissionNote(part.mimeType, types);
}

/** The text that replaces a file, so that the model can mention the file to the user. */
function omissionNote(mimeType: string, supported?: ReadonlySet<string>) {
  const reason = supported
    ? `only ${[...supported].join(', ')} can be sent to this model`
    : 'it cannot be sent to this model';
  return { type: 'text', text: `[A file of type ${mimeType} was left out: ${reason}.]` } as const;
}
