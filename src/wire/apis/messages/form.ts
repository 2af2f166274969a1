import type { JsonObject } from '../../../base/json.ts';
import type { ForeignMessage } from '../../message.ts';
import { plainEffort } from '../effort.ts';
import { asFarAsIn, asIn, at, type RequestForm, type Writing } from '../requestForm.ts';
import type { RequestSettings } from '../requestSettings.ts';
import { adaptiveThinking, leastBudget, messagesCommon } from './common.ts';
import { encodeMessages } from './encode.ts';
import {
  knownEffort,
  outputLimitFor,
  takesSampling,
  thinks,
  thinksByItself,
  thinksByWord,
} from './generations.ts';

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
    temperature: asFarAsIn(temperature),
    topP: (value, { settings, model }) =>
      settings.temperature !== undefined || !takesSampling(model) ? undefined : at('top_p')(value),
    topK: (value, { model }) => (takesSampling(model) ? at('top_k')(value) : undefined),
    stop: at('stop_sequences'),
    outputLimit: at('max_tokens'),
    reasoningEffort: placeEffort,
    thoughts: placeThoughts,
    tools: asIn(written),
    toolChoice: ({ mode, names: [name] = [] }) =>
      name === undefined
        ? at('tool_choice', 'type')({ auto: 'auto', none: 'none', required: 'any' }[mode])
        : [...at('tool_choice', 'type')('tool'), ...at('tool_choice', 'name')(name)],
    parallelCalls: (value, { settings }) => {
      if (value || settings.toolChoice?.mode === 'none') return [];
      const type = settings.toolChoice ? [] : at('tool_choice', 'type')('auto');
      return [...type, ...at('tool_choice', 'disable_parallel_tool_use')(true)];
    },
    responseFormat: asFarAsIn(formatted),
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
