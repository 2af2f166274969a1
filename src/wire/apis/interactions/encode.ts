import { isObject, type JsonObject, jsonText } from '../../../base/json.ts';
import { explain } from '../../explanations/explanation.ts';
import type { Encoded, ForeignMessage, ForeignPart, Message, MessagePart } from '../../message.ts';
import { Omissions } from '../../omissions.ts';
import { argumentsObject, isPart, type PartOf, placedParts, stringOf } from '../encoding.ts';
import type { InteractionContent, InteractionStep, InteractionsRequest } from './request.ts';

/** The members of a request that hold the conversation. */
export type InteractionsConversation = Pick<InteractionsRequest, 'input' | 'system_instruction'>;

/**
 * Encodes a conversation as steps, and a single question as plain text, which every gateway accepts. System
 * messages go into a field of their own.
 */
export function encodeInteractions(messages: readonly ForeignMessage[]): Encoded<InteractionsConversation> {
  const omitted = new Omissions();
  const steps: InteractionStep[] = [];
  const instructions: string[] = [];
  for (const message of messages) {
    const { role, parts, verbatim } = message;
    if (role === 'system') {
      if (steps.length > 0) omitted.add(explain('omitted-system-place'));
      const texts = placedParts(message, omitted).filter(isPart('text'));
      instructions.push(...texts.map(({ text }) => text));
    } else if (verbatim) {
      steps.push(...(verbatim as readonly InteractionStep[]));
    } else {
      for (const part of parts) addPart(steps, role, part, omitted);
    }
  }
  return {
    body: {
      input: questionOf(steps) ?? steps,
      ...(instructions.length > 0 && { system_instruction: instructions.join('\n\n') }),
    },
    omitted: omitted.all,
  };
}

/** Decodes the conversation of a request. Unknown steps and contents are ignored. */
export function decodeInteractions({
  input,
  system_instruction,
}: InteractionsConversation): readonly Message[] {
  const messages: { role: Message['role']; parts: MessagePart[] }[] = [];
  if (system_instruction) {
    messages.push({ role: 'system', parts: [{ type: 'text', text: system_instruction }] });
  }
  for (const step of stepsOf(input)) {
    const parts = decodeStep(step);
    const role = userSteps.has(step.type) ? 'user' : 'assistant';
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) messages.push({ role, parts: [...parts] });
  }
  return messages;
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
      addContent(steps, role, dataContent(part));
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
        arguments: argumentsObject(part, omitted),
      });
      break;
    case 'toolResult':
      steps.push({
        type: 'function_result',
        call_id: part.id,
        name: part.name,
        result: resultOf(part),
        ...(part.failed && { is_error: true }),
      });
  }
}

function dataContent({ type, data, mimeType }: PartOf<'image' | 'document'>): InteractionContent {
  return { type, data, mime_type: mimeType };
}

function resultOf({ text, pictures = [] }: PartOf<'toolResult'>): string | readonly InteractionContent[] {
  if (pictures.length === 0) return text;
  return [...(text === '' ? [] : [{ type: 'text', text }]), ...pictures.map(dataContent)];
}

/** Adds to the last step if it has the same role. */
function addContent(steps: InteractionStep[], role: 'user' | 'assistant', content: InteractionContent): void {
  const type = role === 'user' ? 'user_input' : 'model_output';
  const last = steps.at(-1);
  if (last?.type === type) last.content?.push(content);
  else steps.push({ type, content: [content] });
}

function questionOf([step, ...others]: readonly InteractionStep[]): string | undefined {
  const [content, ...rest] = step?.content ?? [];
  const alone = others.length === 0 && rest.length === 0 && step?.type === 'user_input';
  return alone && content?.type === 'text' ? content.text : undefined;
}

const userSteps: ReadonlySet<string> = new Set(['user_input', 'function_result']);
const contentTypes: ReadonlySet<string> = new Set(['text', 'image', 'audio', 'video', 'document']);

/** A request may hold plain text, one content, or contents in place of steps. */
function stepsOf(input: InteractionsConversation['input']): readonly InteractionStep[] {
  if (typeof input === 'string') return [{ type: 'user_input', content: [{ type: 'text', text: input }] }];
  return [input]
    .flat()
    .map(
      (each): InteractionStep =>
        contentTypes.has(each.type) ? { type: 'user_input', content: [each as InteractionContent] } : each,
    );
}

function decodeStep(step: InteractionStep): readonly MessagePart[] {
  const signature = step.signature === undefined ? {} : { signature: step.signature };
  switch (step.type) {
    case 'user_input':
    case 'model_output':
      return (step.content ?? []).flatMap(decodeContent);
    case 'thought':
      return [
        { type: 'reasoning', text: (step.summary ?? []).map(({ text = '' }) => text).join(''), ...signature },
      ];
    case 'function_call': {
      const { id = '', name = '', arguments: args = {} } = step;
      return [{ type: 'toolCall', id, name, arguments: jsonText(args) ?? '' }];
    }
    case 'function_result':
      return [decodeResult(step)];
    default:
      return [];
  }
}

/** A result is text, any value, or a list of contents. */
function decodeResult({ call_id, name, result }: JsonObject): MessagePart {
  const contents = Array.isArray(result) ? result.filter(isObject) : [];
  const said = contents.map(({ text }) => text).filter((text) => typeof text === 'string');
  const text = typeof result === 'string' ? result : (jsonText(result ?? null) ?? '');
  return {
    type: 'toolResult',
    id: stringOf(call_id),
    name: stringOf(name),
    text: said.length > 0 ? said.join('\n') : text,
  };
}

function decodeContent(content: InteractionContent): readonly MessagePart[] {
  const { type, text, data, mime_type: mimeType = '' } = content;
  // Some clients send results among the contents of the user.
  if (type === 'function_result') return [decodeResult(content)];
  if (type === 'text') return text === undefined ? [] : [{ type: 'text', text }];
  return type === 'image' && data !== undefined ? [{ type: 'image', mimeType, data }] : [];
}
