import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import {
  type CacheMark,
  type Encoded,
  type ForeignMessage,
  type ForeignPart,
  Omissions,
} from '../../message.ts';
import { CallNames, dropMisplacedParts, isPart, type PartOf, readArguments } from '../shared/messageParts.ts';
import { writeMark } from '../shared/promptCaching.ts';
import { type FormContext, placeAt, type RequestForm } from '../shared/requestForm.ts';
import {
  type CommonField,
  type PlacedField,
  type RequestSettings,
  toPlainEffort,
} from '../shared/requestSettings.ts';
import { createAdaptiveThinking, messagesCommon, minBudget, writeTool } from './commonParameters.ts';
import { redactedThinking } from './contentBlocks.ts';
import {
  acceptsSampling,
  canThink,
  chooseOutputLimit,
  thinksByDefault,
  toSupportedEffort,
  usesEffortWords,
} from './modelGenerations.ts';
import type { MessagesRequest } from './schema.ts';

/** The members of a messages request that contain the conversation. */
export type MessagesConversation = Pick<MessagesRequest, 'system' | 'messages'>;

type Block = JsonObject & { type: string };

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/**
 * Encodes a conversation as providers require it: system messages in a field of their own, results first in a
 * message of the user, thinking first in a message of the assistant. Reasoning is sent back only if it is signed.
 */
export function encodeMessages(messages: readonly ForeignMessage[]): Encoded<MessagesConversation> {
  const omitted = new Omissions();
  const names = new CallNames();
  const conversation: MessagesConversation = { messages: [] };
  for (const message of messages) {
    const parts = dropMisplacedParts(message, omitted).filter(hasContent);
    if (message.role === 'system') {
      addSystem(parts.filter(isPart('text')), conversation, omitted);
    } else {
      const content = encodeMessageContent(message, parts, names, omitted);
      if (content.length > 0) conversation.messages.push({ role: message.role, content });
    }
  }
  return { body: conversation, omitted: omitted.all };
}

function encodeMessageContent(
  { verbatim }: ForeignMessage,
  parts: readonly ForeignPart[],
  names: CallNames,
  omitted: Omissions,
): Block[] {
  if (!verbatim) return orderBlocks(parts.flatMap(encodePart(names, omitted)));
  names.addAll(parts);
  return verbatim as Block[];
}

/** Providers refuse blank text. */
function hasContent(part: ForeignPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

function addSystem(
  parts: readonly PartOf<'text'>[],
  conversation: MessagesConversation,
  omitted: Omissions,
): void {
  if (parts.length === 0) return;
  if (conversation.messages.length > 0) omitted.add(explain('omitted-system-position'));
  const before = Array.isArray(conversation.system) ? conversation.system : [];
  const blocks = parts.map(({ text, cacheMark }) => ({ type: 'text', text, ...writeMark(cacheMark) }));
  conversation.system = [...before, ...blocks];
}

function orderBlocks(blocks: readonly Block[]): Block[] {
  // Thinking between the calls of a turn is not moved.
  if (blocks[0] && isThinking(blocks[0])) return [...blocks];
  const isFirst = (block: Block) => block.type === 'tool_result' || isThinking(block);
  return [...blocks.filter(isFirst), ...blocks.filter((block) => !isFirst(block))];
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function encodePart(names: CallNames, omitted: Omissions): (part: ForeignPart) => readonly Block[] {
  return (part) => {
    const blocks = [encodeContent(part, names, omitted)].flat();
    if (!part.cacheMark) return blocks;
    return blocks.map((block, index) =>
      index === blocks.length - 1 ? addCacheMark(block, part.cacheMark) : block,
    );
  };
}

/** Thinking blocks cannot have a cache mark. */
function addCacheMark(block: Block, mark: CacheMark | undefined): Block {
  return isThinking(block) ? block : { ...block, ...writeMark(mark) };
}

function encodeContent(part: ForeignPart, names: CallNames, omitted: Omissions): Block | readonly Block[] {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return encodeImage(part, omitted);
    case 'imageLink':
      return { type: 'image', source: { type: 'url', url: part.url } };
    case 'document':
      return encodeDocument(part);
    case 'reasoning':
      return encodeReasoning(part, omitted);
    case 'toolCall':
      names.add(part);
      return encodeCall(part, omitted);
    case 'toolResult':
      names.checkResult(part, omitted);
      return encodeResult(part, omitted);
  }
}

function encodeImage({ mimeType, data }: PartOf<'image'>, omitted: Omissions): Block | readonly Block[] {
  if (imageTypes.has(mimeType))
    return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
  omitted.add(explain('omitted-image-type', { mimeType }));
  return [];
}

function encodeDocument({ mimeType, data, name }: PartOf<'document'>): Block {
  const source = { type: 'base64', media_type: mimeType, data };
  return { type: 'document', source, ...(name !== undefined && { title: name }) };
}

function encodeResult({ id, text, pictures, hasFailed }: PartOf<'toolResult'>, omitted: Omissions): Block {
  const images = (pictures ?? []).flatMap((picture) => encodeImage(picture, omitted));
  const texts = text === '' ? [] : [{ type: 'text', text }];
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: images.length === 0 ? text : [...texts, ...images],
    ...(hasFailed && { is_error: true }),
  };
}

function encodeReasoning(
  { text, signature }: PartOf<'reasoning'>,
  omitted: Omissions,
): Block | readonly Block[] {
  if (!signature) {
    omitted.add(explain('omitted-unsigned-reasoning'));
    return [];
  }
  if (!signature.startsWith(redactedThinking)) return { type: 'thinking', thinking: text, signature };
  if (text !== '') omitted.add(explain('omitted-redacted-reasoning'));
  return { type: 'redacted_thinking', data: signature.slice(redactedThinking.length) };
}

function encodeCall(part: PartOf<'toolCall'>, omitted: Omissions): Block {
  const { id, name, signature } = part;
  if (signature) omitted.add(explain('omitted-call-signature'));
  return { type: 'tool_use', id, name, input: readArguments(part, omitted) };
}

const { temperature, reasoningEffort, responseFormat } = messagesCommon;

export const messagesForm: RequestForm = {
  contentRules: {
    format: 'messages',
    pictureTypes: imageTypes,
    documentTypes: new Set(['application/pdf']),
    acceptsReasoning: true,
    parsesArguments: true,
    convertsEfforts: true,
    reportsToolFailure: true,
    refusesBlankText: true,
    acceptsCacheMark: (part) =>
      part.type !== 'reasoning' && !(part.type === 'text' && part.text.trim() === ''),
    acceptsToolMarks: true,
    toolName: /^[\w-]{1,128}$/,
  },
  encode: (messages) => encodeMessages(replaceIds(messages)),
  settings: {
    temperature: (_, context) => placeCommonField(temperature, context),
    topP: (value, { settings, model }) =>
      settings.temperature !== undefined || !acceptsSampling(model) ? undefined : placeAt('top_p')(value),
    topK: (value, { model }) => (acceptsSampling(model) ? placeAt('top_k')(value) : undefined),
    stop: ['stop_sequences'],
    outputLimit: ['max_tokens'],
    reasoningEffort: placeEffort,
    thoughts: placeThoughts,
    tools: (tools) =>
      placeAt('tools')(tools.map((tool) => ({ ...writeTool(tool), ...writeMark(tool.cacheMark) }))),
    toolChoice: ({ mode, names: [name] = [] }) =>
      name === undefined
        ? placeAt('tool_choice', 'type')({ auto: 'auto', none: 'none', required: 'any' }[mode])
        : [...placeAt('tool_choice', 'type')('tool'), ...placeAt('tool_choice', 'name')(name)],
    parallelCalls: (value, { settings }) => {
      if (value || settings.toolChoice?.mode === 'none') return [];
      const type = settings.toolChoice ? [] : placeAt('tool_choice', 'type')('auto');
      return [...type, ...placeAt('tool_choice', 'disable_parallel_tool_use')(true)];
    },
    responseFormat: (_, context) => placeCommonField(responseFormat, context),
    endMark: (mark) => placeAt('cache_control')(writeMark(mark).cache_control),
  },
  complete: (body: JsonObject, { isStreamed, model }: FormContext) => ({
    model,
    max_tokens: chooseOutputLimit(model),
    ...body,
    ...(isStreamed && { stream: true }),
  }),
};

/** Places a setting in the same way as the form of parameters; undefined for a value that the form omits. */
function placeCommonField(
  { place }: CommonField,
  { settings, model }: FormContext,
): readonly PlacedField[] | undefined {
  const fields = place(settings, model);
  return fields.length === 0 ? undefined : fields;
}

/** Places an effort, unless another setting or the conversation prevents thinking. */
function placeEffort(effort: string | number, context: FormContext) {
  const { settings, messages, model } = context;
  if (usesEffortWords(model)) return placeEffortWord(effort, context);
  if (effort === 'none') return [];
  // These earlier models do not support adaptive thinking.
  if (!canThink(model) || effort === 'adaptive') return undefined;
  const limit = settings.outputLimit;
  if (!allowsThinking(settings) || continuesUnsignedReply(messages)) return undefined;
  if (limit !== undefined && limit < 2 * minBudget) return undefined;
  const maxBudget = limit === undefined ? Infinity : Math.floor(limit / 2);
  const supportedEffort = typeof effort === 'number' ? Math.min(effort, maxBudget) : toPlainEffort(effort);
  return placeCommonField(reasoningEffort, {
    ...context,
    settings: { ...settings, reasoningEffort: supportedEffort },
  });
}

/** Places an effort word. The effort applies to the whole output, even if thinking is disabled. */
function placeEffortWord(effort: string | number, { settings, model }: FormContext) {
  const mayThink =
    settings.toolChoice?.mode !== 'required' && (!acceptsSampling(model) || allowsThinking(settings));
  if (effort === 'adaptive') return mayThink ? placeAt('thinking')(createAdaptiveThinking(model)) : undefined;
  if (effort === 'none') return thinksByDefault(model) ? placeAt('output_config', 'effort')('low') : [];
  const word = toSupportedEffort(effort, model);
  if (word === undefined) return undefined;
  if (!mayThink) return placeAt('output_config', 'effort')(word);
  return reasoningEffort.place(settings, model);
}

/** An effort already includes the thinking in the reply. Without an effort, only some models think by default. */
function placeThoughts(_: boolean, { settings, model }: FormContext) {
  if (settings.reasoningEffort !== undefined) return [];
  const mayThink = thinksByDefault(model) && settings.toolChoice?.mode !== 'required';
  return mayThink ? placeAt('thinking')(createAdaptiveThinking(model)) : undefined;
}

/** Whether the sampling settings and the tool choice of a request allow thinking. */
function allowsThinking({ temperature = 1, topP = 1, topK, toolChoice }: Partial<RequestSettings>): boolean {
  const isPlain = temperature === 1 && topP >= 0.95 && topK === undefined;
  return isPlain && toolChoice?.mode !== 'required';
}

/** Whether the model would have to continue a reply of its own that lacks its thinking. */
function continuesUnsignedReply(messages: readonly ForeignMessage[]): boolean {
  const questionIndex = messages.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ type }) => type !== 'toolResult'),
  );
  return messages
    .slice(questionIndex + 1)
    .some(
      ({ role, parts, verbatim = [] }) =>
        role === 'assistant' &&
        parts.length > 0 &&
        !parts.some(({ type }) => type === 'reasoning') &&
        !verbatim.some(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
    );
}

/**
 * Replaces characters in the ids of calls that the format does not allow. Different ids still differ afterwards. The
 * provider's own ids are not changed.
 */
function replaceIds(messages: readonly ForeignMessage[]): readonly ForeignMessage[] {
  const providerIds = new Set(messages.flatMap(({ verbatim = [] }) => verbatim.map(({ id }) => id)));
  const replaceId = (id: string) => (providerIds.has(id) ? id : toPlainId(id));
  return messages.map((message) => {
    const parts = message.parts.map((part) =>
      part.type === 'toolCall' || part.type === 'toolResult' ? { ...part, id: replaceId(part.id) } : part,
    );
    return { ...message, parts };
  });
}

function toPlainId(id: string): string {
  return id.replaceAll(/[^\w-]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);
}
