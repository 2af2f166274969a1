import { explain } from '../../explanations/explanation.ts';
import { type Encoded, type ForeignMessage, type ForeignPart, Omissions } from '../../message.ts';
import { dropMisplacedParts, isPart, type PartOf, readArguments } from '../shared/messageParts.ts';
import { placeAt, type RequestForm } from '../shared/requestForm.ts';
import { interactionsCommon } from './commonParameters.ts';
import type { InteractionContent, InteractionStep, InteractionsRequest } from './schema.ts';

/** The members of a request that contain the conversation. */
type InteractionsConversation = Pick<InteractionsRequest, 'input' | 'system_instruction'>;

/**
 * Encodes a conversation as steps, and a single text as plain text, which every gateway accepts. System messages
 * are written to a field of their own.
 */
export function encodeInteractions(messages: readonly ForeignMessage[]): Encoded<InteractionsConversation> {
  const omitted = new Omissions();
  const steps: InteractionStep[] = [];
  const instructions: string[] = [];
  for (const message of messages) {
    const { role, parts, verbatim } = message;
    if (role === 'system') {
      if (steps.length > 0) omitted.add(explain('omitted-system-position'));
      const texts = dropMisplacedParts(message, omitted).filter(isPart('text'));
      for (const { text } of texts) instructions.push(text);
    } else if (verbatim) {
      for (const step of verbatim as readonly InteractionStep[]) steps.push(step);
    } else {
      for (const part of parts) addPart(steps, role, part, omitted);
    }
  }
  return {
    body: {
      input: findSingleText(steps) ?? steps,
      ...(instructions.length > 0 && { system_instruction: instructions.join('\n\n') }),
    },
    omitted: omitted.all,
  };
}

function addPart(
  steps: InteractionStep[],
  role: 'user' | 'assistant',
  part: ForeignPart,
  omitted: Omissions,
): void {
  switch (part.type) {
    case 'text':
      if (part.text !== '') addContent(steps, role, { type: 'text', text: part.text });
      break;
    case 'image':
    case 'document':
      addContent(steps, role, encodeData(part));
      break;
    case 'imageLink':
      addContent(steps, role, {
        type: 'image',
        uri: part.url,
        ...(part.mimeType !== undefined && { mime_type: part.mimeType }),
      });
      break;
    case 'reasoning':
      steps.push({
        type: 'thought',
        ...(part.signature !== undefined && { signature: part.signature }),
        ...(part.text !== '' && { summary: [{ type: 'text', text: part.text }] }),
      });
      break;
    case 'toolCall':
      if (part.signature !== undefined) omitted.add(explain('omitted-call-signature'));
      steps.push({
        type: 'function_call',
        id: part.id,
        name: part.name,
        arguments: readArguments(part, omitted),
      });
      break;
    case 'toolResult':
      steps.push({
        type: 'function_result',
        call_id: part.id,
        name: part.name,
        result: encodeResult(part),
        ...(part.hasFailed && { is_error: true }),
      });
  }
}

function encodeData({ type, data, mimeType }: PartOf<'image' | 'document'>): InteractionContent {
  return { type, data, mime_type: mimeType };
}

function encodeResult({ text, pictures = [] }: PartOf<'toolResult'>): string | readonly InteractionContent[] {
  if (pictures.length === 0) return text;
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...pictures.map(encodeData)];
}

/** Adds content, to the last step if that step has the same role. */
function addContent(steps: InteractionStep[], role: 'user' | 'assistant', content: InteractionContent): void {
  const type = role === 'user' ? 'user_input' : 'model_output';
  const last = steps.at(-1);
  if (last?.type === type) last.content?.push(content);
  else steps.push({ type, content: [content] });
}

/** The text of a conversation that consists of a single text of the user. */
function findSingleText([step, ...others]: readonly InteractionStep[]): string | undefined {
  const [content, ...rest] = step?.content ?? [];
  const isSingle = others.length === 0 && rest.length === 0 && step?.type === 'user_input';
  return isSingle && content?.type === 'text' ? content.text : undefined;
}

const { temperature, reasoningEffort, tools, responseFormat } = interactionsCommon;

const placeInConfig = (name: string) => placeAt('generation_config', name);

/** Writes requests of interactions, which the provider does not store. */
export const interactionsForm: RequestForm = {
  contentRules: {
    format: 'interactions',
    allowsPicturesInReplies: true,
    requiresLinkTypes: true,
    acceptsReasoning: true,
    parsesArguments: true,
    namesResults: true,
    reportsToolFailure: true,
  },
  encode: encodeInteractions,
  settings: {
    temperature,
    topP: ['generation_config', 'top_p'],
    seed: ['generation_config', 'seed'],
    stop: ['generation_config', 'stop_sequences'],
    outputLimit: ['generation_config', 'max_output_tokens'],
    reasoningEffort: (_, { settings, model }) => [
      ...reasoningEffort.place(settings, model),
      ...placeInConfig('thinking_summaries')('auto'),
    ],
    tools,
    toolChoice: ({ mode, names }) => {
      const word = { auto: 'auto', none: 'none', required: 'any' }[mode];
      return placeInConfig('tool_choice')(names ? { allowed_tools: { mode: word, tools: names } } : word);
    },
    responseFormat,
  },
  complete: (body, { isStreamed, model }) => ({
    model,
    store: false,
    ...body,
    ...(isStreamed && { stream: true }),
  }),
};
