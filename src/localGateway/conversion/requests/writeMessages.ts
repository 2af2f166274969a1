import type { JsonObject } from '../../../base/json.ts';
import { messagesCommon } from '../../../wire/apis/messages/common.ts';
import { encodeMessages } from '../../../wire/apis/messages/encode.ts';
import type { AskedMessage, Settings } from './askedRequest.ts';
import { plainEffort } from './effort.ts';
import { at, type RequestForm, type Writing } from './requestForm.ts';

const { temperature, reasoningEffort, tools: written, responseFormat: formatted } = messagesCommon;

/** The least that a model may be given to think, in tokens. */
const leastBudget = 1024;

/** Writes requests of messages. */
export const messagesForm: RequestForm = {
  admission: {
    format: 'messages',
    pictureTypes: new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
    documentTypes: new Set(['application/pdf']),
    takesReasoning: true,
    parsesArguments: true,
    tellsFailure: true,
  },
  encode: (messages) => encodeMessages(messages.map(withPlainIds)),
  settings: {
    temperature: (value, { model }) => {
      const placed = temperature.place({ temperature: value }, model);
      return placed.length === 0 ? undefined : placed;
    },
    topP: (value, { asked }) => (asked.settings.temperature ? undefined : at('top_p')(value)),
    topK: at('top_k'),
    stop: at('stop_sequences'),
    outputLimit: at('max_tokens'),
    effort: placeEffort,
    tools: (tools, { model }) => {
      const nested = tools.map(({ strict: _, ...tool }) => ({ type: 'function', function: tool }));
      return written.place({ tools: nested }, model);
    },
    toolChoice: ({ mode, names: [name] = [] }) =>
      name === undefined
        ? at('tool_choice', 'type')({ auto: 'auto', none: 'none', required: 'any' }[mode])
        : [...at('tool_choice', 'type')('tool'), ...at('tool_choice', 'name')(name)],
    parallelCalls: (value, { asked }) => {
      if (value || asked.settings.toolChoice?.value.mode === 'none') return [];
      const type = asked.settings.toolChoice ? [] : at('tool_choice', 'type')('auto');
      return [...type, ...at('tool_choice', 'disable_parallel_tool_use')(true)];
    },
    responseFormat: ({ format, schema }, { model }) => {
      const placed = formatted.place(
        { responseFormat: format, ...(schema && { responseSchema: schema }) },
        model,
      );
      return placed.length === 0 ? undefined : placed;
    },
  },
  complete: (body: JsonObject, { asked: { streamed }, model }: Writing) => ({
    model,
    max_tokens: outputLimitOf(model),
    ...body,
    ...(streamed && { stream: true }),
  }),
};

/** What a model may write where the caller sets no limit, which the format requires. */
function outputLimitOf(model: string): number {
  const [, major = '0', minor = '0'] = /claude-(?:[a-z]+-)?(\d)(?:[-.](\d)(?!\d))?/i.exec(model) ?? [];
  if (Number(major) >= 4 || (major === '3' && Number(minor) >= 7)) return 32_000;
  return major === '3' && minor === '0' ? 4096 : 8192;
}

/** A model thinks only where nothing else in the request forbids it. */
function placeEffort(effort: string | number, { asked }: Writing) {
  if (effort === 'none') return [];
  const limit = asked.settings.outputLimit?.value;
  if (!maySample(asked.settings) || continuesUnsigned(asked.messages)) return undefined;
  if (limit !== undefined && limit < 2 * leastBudget) return undefined;
  const most = limit === undefined ? Infinity : Math.floor(limit / 2);
  const wanted = typeof effort === 'number' ? Math.min(effort, most) : plainEffort(effort);
  const set = limit === undefined ? {} : { outputLimit: limit };
  const placed = reasoningEffort.place({ reasoningEffort: wanted, ...set });
  return placed.length === 0 ? undefined : placed;
}

function maySample({ temperature, topP, topK, toolChoice }: Settings): boolean {
  const isPlain = (temperature?.value ?? 1) === 1 && (topP?.value ?? 1) >= 0.95 && topK === undefined;
  return isPlain && toolChoice?.value.mode !== 'required';
}

/** Whether the model would go on after calls whose thinking it does not get back. */
function continuesUnsigned(messages: readonly AskedMessage[]): boolean {
  const asked = messages.findLastIndex(
    ({ role, parts }) => role === 'user' && parts.some(({ type }) => type !== 'toolResult'),
  );
  return messages
    .slice(asked + 1)
    .some(
      ({ parts }) =>
        parts.some(({ type }) => type === 'toolCall') && !parts.some(({ type }) => type === 'reasoning'),
    );
}

/** The format takes few characters in the ids of calls. Different ids stay different. */
function withPlainIds(message: AskedMessage): AskedMessage {
  const parts = message.parts.map((part) =>
    part.type === 'toolCall' || part.type === 'toolResult' ? { ...part, id: plainId(part.id) } : part,
  );
  return { ...message, parts };
}

function plainId(id: string): string {
  return id.replaceAll(/[^\w-]/g, (character) => `_${character.charCodeAt(0).toString(16)}_`);
}
