import { isObject, type JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../record.ts';
import type { ConversationReading } from '../reading/conversationReading.ts';
import { arrayOf, objectsIn, textOf } from '../reading/fields.ts';

/** Parts of a response that are for VS Code alone: progress, and where undo would go back to. */
const ofNoInterest = new Set([
  'progressMessage',
  'progressTaskSerialized',
  'mcpServersStarting',
  'prepareToolInvocation',
  'undoStop',
  'codeblockUri',
]);

/**
 * The parts of a response. VS Code writes Markdown in pieces, between which it names files and symbols: those belong
 * to the text.
 */
export function responseParts(response: unknown, reading: ConversationReading): readonly PartRecord[] {
  const parts: PartRecord[] = [];
  const pieces: string[] = [];
  const endText = () => {
    const text = pieces.splice(0).join('');
    if (text.trim() !== '') parts.push({ type: 'text', text });
  };
  for (const part of typeof response === 'string' ? [{ value: response }] : objectsIn(response)) {
    const words = markdownOf(part);
    if (words !== undefined) {
      pieces.push(words);
      continue;
    }
    const others = otherParts(part, reading);
    if (others.length > 0) endText();
    for (const other of others) parts.push(other);
  }
  endText();
  return parts;
}

function markdownOf(part: JsonObject): string | undefined {
  if (part.kind === undefined) return textOf(part.value);
  if (part.kind === 'markdownContent' || part.kind === 'markdownVuln') return stringValue(part.content);
  return part.kind === 'inlineReference' ? referenceName(part) : undefined;
}

/** A string, or Markdown as VS Code keeps it. */
function stringValue(value: unknown): string | undefined {
  return textOf(isObject(value) ? value.value : value);
}

function referenceName({ inlineReference, name }: JsonObject): string {
  const reference = isObject(inlineReference) ? inlineReference : {};
  const uri = isObject(reference.uri) ? reference.uri : reference;
  const path = textOf(uri.path) ?? textOf(uri.fsPath) ?? '';
  const words = textOf(name) ?? textOf(reference.name) ?? path.slice(path.lastIndexOf('/') + 1);
  return words === '' ? '' : `\`${words.replaceAll('`', '')}\``;
}

function otherParts(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  if (part.kind === 'thinking') {
    const pieces = Array.isArray(part.value) ? part.value : [part.value];
    const text = pieces.map((piece) => textOf(piece) ?? '').join('');
    return text === '' ? [] : [{ type: 'reasoning', text }];
  }
  if (part.kind === 'toolInvocationSerialized') return toolParts(part, reading);
  return ofNoInterest.has(String(part.kind)) ? [] : [reading.other(part)];
}

function toolParts(part: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const [id, name] = [textOf(part.toolCallId) ?? '', textOf(part.toolId) ?? ''];
  const details = isObject(part.resultDetails) ? part.resultDetails : {};
  const asked = stringValue(details.input) ?? stringValue(part.invocationMessage) ?? '';
  const told = arrayOf(details.output)
    .filter(isObject)
    .filter(({ isText, mimeType }) => isText === true || mimeType === undefined)
    .map(({ value }) => textOf(value) ?? '')
    .join('\n\n');
  const text = told === '' ? (stringValue(part.pastTenseMessage) ?? '') : told;
  const pictures = objectsIn(details.output).flatMap((output) => pictureParts(output, reading));
  return [
    { type: 'toolCall', id, name, arguments: asked },
    ...(text === '' ? [] : [{ type: 'toolResult' as const, id, name, text }]),
    ...pictures,
  ];
}

function pictureParts(output: JsonObject, reading: ConversationReading): readonly PartRecord[] {
  const { mimeType, value } = output;
  const isPicture = typeof mimeType === 'string' && mimeType.startsWith('image/') && output.isText !== true;
  return isPicture && typeof value === 'string'
    ? [reading.attachBase64(value, { mimeType }, { mimeType })]
    : [];
}
