import type { JsonObject } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import type { Encoded, ForeignMessage, ForeignPart } from '../../message.ts';
import { Omissions } from '../../omissions.ts';
import { argumentsObject, CallNames, isPart, type PartOf, placedParts } from '../format/encoding.ts';
import { asFarAs, at, type RequestForm, type Writing } from '../format/requestForm.ts';
import type { RequestSettings } from '../format/requestSettings.ts';
import { plainEffort } from '../format/requestSettings.ts';
import { redactedThinking } from './blocks.ts';
import { adaptiveThinking, leastBudget, messagesCommon } from './common.ts';
import {
  knownEffort,
  outputLimitFor,
  takesSampling,
  thinks,
  thinksByItself,
  thinksByWord,
} from './generations.ts';
import type { MessagesRequest } from './request.ts';

/** The members of a messages request that hold the conversation. */
export type MessagesConversation = Pick<MessagesRequest, 'system' | 'messages'>;

type Block = JsonObject & { type: string };

const imageTypes = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/**
 * Encodes a conversation as providers require it: system messages in a field of their own, results first in a
 * message of the user, thinking first in one of the assistant. Reasoning goes back only with a signature of
 * this format's providers.
 */
export function encodeMessages(messages: readonly ForeignMessage[]): Encoded<MessagesConversation> {
  const omitted = new Omissions();
  const names = new CallNames();
  const conversation: MessagesConversation = { messages: [] };
  for (const message of messages) {
    const parts = placedParts(message, omitted).filter(saysSomething);
    if (message.role === 'system') addSystem(parts.filter(isPart('text')), conversation, omitted);
    else addMessage(message.role, contentOf(message, parts, names, omitted), conversation);
  }
  return { body: conversation, omitted: omitted.all };
}

function contentOf(
  { verbatim }: ForeignMessage,
  parts: readonly ForeignPart[],
  names: CallNames,
  omitted: Omissions,
): Block[] {
  if (!verbatim) return inOrder(parts.flatMap(encodePart(names, omitted)));
  names.noteAll(parts);
  return verbatim as Block[];
}

/** Providers refuse blank text. */
function saysSomething(part: ForeignPart): boolean {
  return part.type !== 'text' || part.text.trim() !== '';
}

function addSystem(
  parts: readonly PartOf<'text'>[],
  conversation: MessagesConversation,
  omitted: Omissions,
): void {
  if (parts.length === 0) return;
  if (conversation.messages.length > 0) omitted.add(explain('omitted-system-place'));
  const before = Array.isArray(conversation.system) ? conversation.system : [];
  const blocks = parts.map(({ text, isCached }) => ({
    type: 'text',
    text,
    ...(isCached && { cache_control: cacheControl }),
  }));
  conversation.system = [...before, ...blocks];
}

function addMessage(
  role: 'user' | 'assistant',
  content: Block[],
  { messages }: Pick<MessagesConversation, 'messages'>,
): void {
  if (content.length > 0) messages.push({ role, content });
}

function inOrder(blocks: readonly Block[]): Block[] {
  // Thinking between the calls of a turn stays where the model put it.
  if (blocks[0] && isThinking(blocks[0])) return [...blocks];
  const leads = (block: Block) => block.type === 'tool_result' || isThinking(block);
  return [...blocks.filter(leads), ...blocks.filter((block) => !leads(block))];
}

function isThinking({ type }: Block): boolean {
  return type === 'thinking' || type === 'redacted_thinking';
}

function encodePart(names: CallNames, omitted: Omissions): (part: ForeignPart) => readonly Block[] {
  return (part) => {
    const blocks = [encodeContent(part, names, omitted)].flat();
    if (!part.isCached) return blocks;
    return blocks.map((block, nth) => (nth === blocks.length - 1 ? withCacheMark(block) : block));
  };
}

const cacheControl = { type: 'ephemeral' };

/** Thinking takes no mark. */
function withCacheMark(block: Block): Block {
  return isThinking(block) ? block : { ...block, cache_control: cacheControl };
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
      names.note(part);
      return encodeCall(part, omitted);
    case 'toolResult':
      names.check(part, omitted);
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

function encodeResult({ id, text, pictures, failed }: PartOf<'toolResult'>, omitted: Omissions): Block {
  const images = (pictures ?? []).flatMap((picture) => encodeImage(picture, omitted));
  const said = text === '' ? [] : [{ type: 'text', text }];
  return {
    type: 'tool_result',
    tool_use_id: id,
    content: images.length === 0 ? text : [...said, ...images],
    ...(failed && { is_error: true }),
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
  return { type: 'tool_use', id, name, input: argumentsObject(part, omitted) };
}

const { temperature, reasoningEffort, tools: written, responseFormat: formatted } = messagesCommon;

/** Writes requests of messages. */
export const messagesForm: RequestForm = {
  admission: {
    format: 'messages',
    pictureTypes: new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    documentTypes: new Set(['application/pdf']),
    takesReasoning: true,
    parsesArguments: true,
    knowsEfforts: true,
    tellsFailure: true,
    refusesBlankText: true,
    toolName: /^[\w-]{1,128}$/,
  },
  encode: (messages) => encodeMessages(withPlainIds(messages)),
  settings: {
    temperature: (_, writing) => asFarAs(temperature, writing),
    topP: (value, { settings, model }) =>
      settings.temperature !== undefined || !takesSampling(model) ? undefined : at('top_p')(value),
    topK: (value, { model }) => (takesSampling(model) ? at('top_k')(value) : undefined),
    stop: ['stop_sequences'],
    outputLimit: ['max_tokens'],
    reasoningEffort: placeEffort,
    thoughts: placeThoughts,
    tools: written,
    toolChoice: ({ mode, names: [name] = [] }) =>
      name === undefined
        ? at('tool_choice', 'type')({ auto: 'auto', none: 'none', required: 'any' }[mode])
        : [...at('tool_choice', 'type')('tool'), ...at('tool_choice', 'name')(name)],
    parallelCalls: (value, { settings }) => {
      if (value || settings.toolChoice?.mode === 'none') return [];
      const type = settings.toolChoice ? [] : at('tool_choice', 'type')('auto');
      return [...type, ...at('tool_choice', 'disable_parallel_tool_use')(true)];
    },
    responseFormat: (_, writing) => asFarAs(formatted, writing),
  },
  complete: (body: JsonObject, { streamed, model }: Writing) => ({
    model,
    max_tokens: outputLimitFor(model),
    ...body,
    ...(streamed && { stream: true }),
  }),
};

/** A model thinks only where nothing else in the request forbids it. */
function placeEffort(effort: string | number, writing: Writing) {
  const { settings, messages, model } = writing;
  if (thinksByWord(model)) return placeWord(effort, writing);
  if (effort === 'none') return [];
  // How much it needs is for the model to say only where it can.
  if (!thinks(model) || effort === 'adaptive') return undefined;
  const limit = settings.outputLimit;
  if (!maySample(settings) || continuesUnsigned(messages)) return undefined;
  if (limit !== undefined && limit < 2 * leastBudget) return undefined;
  const most = limit === undefined ? Infinity : Math.floor(limit / 2);
  const wanted = typeof effort === 'number' ? Math.min(effort, most) : plainEffort(effort);
  const placed = reasoningEffort.place({ ...settings, reasoningEffort: wanted }, model);
  return placed.length === 0 ? undefined : placed;
}

/** The word counts for all that the model writes, also where it may not think. */
function placeWord(effort: string | number, { settings, model }: Writing) {
  const mayThink = settings.toolChoice?.mode !== 'required' && (!takesSampling(model) || maySample(settings));
  if (effort === 'adaptive') return mayThink ? at('thinking')(adaptiveThinking(model)) : undefined;
  if (effort === 'none') return thinksByItself(model) ? at('output_config', 'effort')('low') : [];
  const word = knownEffort(effort, model);
  if (word === undefined) return undefined;
  if (!mayThink) return at('output_config', 'effort')(word);
  return reasoningEffort.place(settings, model);
}

/** An effort shows the thinking already. A model that does not think by itself is not made to. */
function placeThoughts(_: boolean, { settings, model }: Writing) {
  if (settings.reasoningEffort !== undefined) return [];
  const mayThink = thinksByItself(model) && settings.toolChoice?.mode !== 'required';
  return mayThink ? at('thinking')(adaptiveThinking(model)) : undefined;
}

function maySample({ temperature = 1, topP = 1, topK, toolChoice }: Partial<RequestSettings>): boolean {
  const isPlain = temperature === 1 && topP >= 0.95 && topK === undefined;
  return isPlain && toolChoice?.mode !== 'required';
}

/** Whether the model would go on after its own words or calls whose thinking it does not get back. */
function continuesUnsigned(messages: readonly ForeignMessage[]): boolean {
  const asked = messages.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ type }) => type !== 'toolResult'),
  );
  return messages
    .slice(asked + 1)
    .some(
      ({ role, parts, verbatim = [] }) =>
        role === 'assistant' &&
        parts.length > 0 &&
        !parts.some(({ type }) => type === 'reasoning') &&
        !verbatim.some(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
    );
}

/**
 * The format takes few characters in the ids of calls. Different ids stay different, and those of the provider
 * itself as they are.
 */
function withPlainIds(messages: readonly ForeignMessage[]): readonly ForeignMessage[] {
  const own = new Set(messages.flatMap(({ verbatim = [] }) => verbatim.map(({ id }) => id)));
  const plain = (id: string) => (own.has(id) ? id : plainId(id));
  return messages.map((message) => {
    const parts = message.parts.map((part) =>
      part.type === 'toolCall' || part.type === 'toolResult' ? { ...part, id: plain(part.id) } : part,
    );
    return { ...message, parts };
  });
}

function plainId(id: string): string {
  return id.replaceAll(/[^\w-]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);
}
