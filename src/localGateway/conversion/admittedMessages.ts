import { isObject, parseJson } from '../../base/json.ts';
import { isTooDeep, maxDepth } from '../../wire/apis/shared/messageParts.ts';
import type { ReceivedMessage, ReceivedPart } from '../../wire/apis/shared/receivedRequest.ts';
import type { ContentRules } from '../../wire/apis/shared/requestForm.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';
import type { ConversionNotes } from './conversionNotes.ts';

type PartOf<Type extends ReceivedPart['type']> = Extract<ReceivedPart, { type: Type }>;

/**
 * Removes the parts of a conversation that the format cannot express and that are only advisory.
 *
 * @throws {HttpError} for content that would be lost
 */
export function admitMessages(
  messages: readonly ReceivedMessage[],
  model: string,
  rules: ContentRules,
  notes: ConversionNotes,
): readonly ReceivedMessage[] {
  const acceptsUnsigned = rules.acceptsUnsignedReasoning?.(model) === true;
  const firstTurn = messages.findIndex(({ role }) => role !== 'system');
  return messages.map((message, index) => {
    const isMoved = message.role === 'system' && firstTurn >= 0 && index > firstTurn;
    if (isMoved && !rules.allowsInlineInstructions) notes.drop(`${message.path}.role`);
    const parts = restoreCallSignatures(message.parts, rules).flatMap((part) =>
      acceptsUnsigned && isUnsignedReasoning(part) ? [part] : admitPart(part, message, rules, notes),
    );
    return { ...message, parts };
  });
}

/**
 * Moves the signatures of calls from reasoning back to the calls. A format whose calls have no signatures has them
 * in reasoning before the call, or after it if they arrived late.
 */
function restoreCallSignatures(
  parts: readonly ReceivedPart[],
  { format, acceptsCallSignatures }: ContentRules,
): readonly ReceivedPart[] {
  const restoredParts: ReceivedPart[] = [];
  let pending: string | undefined;
  for (const part of parts) {
    if (part.type === 'toolCall' && pending !== undefined && part.signature === undefined) {
      restoredParts.push({ ...part, signature: pending });
      pending = undefined;
    } else if (acceptsCallSignatures && part.type === 'reasoning' && signsCall(part, format)) {
      pending = part.signature;
      const { signature: _, ...unsigned } = part;
      if (part.text !== '') restoredParts.push(unsigned);
    } else restoredParts.push(part);
  }
  const last = restoredParts.findLastIndex(({ type }) => type === 'toolCall');
  const call = restoredParts[last];
  return pending === undefined || call?.type !== 'toolCall' || call.signature !== undefined
    ? restoredParts
    : restoredParts.with(last, { ...call, signature: pending });
}

function signsCall({ signature }: PartOf<'reasoning'>, format: ContentRules['format']): boolean {
  return signature !== undefined && unsealSignature(format, signature, 'call') !== undefined;
}

/**
 * Whether a part is reasoning that any model can read. Only models of the same provider can read signed reasoning.
 */
function isUnsignedReasoning(part: ReceivedPart): boolean {
  return part.type === 'reasoning' && part.signature === undefined && part.text !== '';
}

function admitPart(
  part: ReceivedPart,
  { role }: ReceivedMessage,
  rules: ContentRules,
  notes: ConversionNotes,
): readonly ReceivedPart[] {
  switch (part.type) {
    case 'image':
    case 'imageLink':
    case 'document':
      checkFile(part, role, rules, notes);
      return [part];
    case 'reasoning':
      return admitReasoning(part, rules, notes);
    case 'toolCall':
      return [admitCall(part, rules, notes)];
    case 'toolResult':
      checkResult(part, rules, notes);
      return [part];
    default:
      return [part];
  }
}

function checkFile(
  part: PartOf<'image' | 'imageLink' | 'document'>,
  role: ReceivedMessage['role'],
  { pictureTypes, documentTypes, allowsPicturesInReplies, requiresLinkTypes }: ContentRules,
  notes: ConversionNotes,
): void {
  if (role === 'system') throw notes.refusalError(part.path, 'does not support files in instructions');
  if (role === 'assistant' && !allowsPicturesInReplies)
    throw notes.refusalError(part.path, 'does not support files in replies of the model');
  if (part.type === 'imageLink') {
    if (requiresLinkTypes && part.mimeType === undefined)
      throw notes.refusalError(part.path, 'requires the type of a picture, which this address does not show');
    return;
  }
  const types = part.type === 'image' ? pictureTypes : documentTypes;
  if (types && !types.has(part.mimeType))
    throw notes.refusalError(part.path, `accepts only files of type ${[...types].join(', ')}`);
}

function admitReasoning(
  part: PartOf<'reasoning'>,
  { format, acceptsReasoning }: ContentRules,
  notes: ConversionNotes,
): readonly ReceivedPart[] {
  const signature =
    acceptsReasoning && part.signature !== undefined
      ? unsealSignature(format, part.signature, 'reasoning')
      : undefined;
  if (signature !== undefined) return [{ ...part, signature }];
  notes.drop(part.path);
  return [];
}

function admitCall(
  part: PartOf<'toolCall'>,
  { format, acceptsCallSignatures, parsesArguments }: ContentRules,
  notes: ConversionNotes,
): ReceivedPart {
  const { signature: seal, ...unsignedCall } = part;
  // Providers parse the arguments, and an empty text is not JSON.
  const call = { ...unsignedCall, arguments: part.arguments || '{}' };
  const isObjectText = part.arguments === '' || isObject(parseJson(part.arguments));
  if (parsesArguments && !isObjectText)
    throw notes.refusalError(part.path, 'requires the arguments of a call to be a JSON object');
  if (parsesArguments && isTooDeep(part.arguments))
    throw notes.refusalError(
      part.path,
      `does not accept arguments that are nested deeper than ${maxDepth} levels`,
    );
  if (seal === undefined) return call;
  const signature = acceptsCallSignatures ? unsealSignature(format, seal, 'call') : undefined;
  if (signature === undefined) notes.drop(`${part.path}.signature`);
  return { ...call, ...(signature !== undefined && { signature }) };
}

function checkResult(
  { name, pictures = [], hasFailed, path }: PartOf<'toolResult'>,
  { namesResults, reportsToolFailure, pictureTypes }: ContentRules,
  notes: ConversionNotes,
): void {
  if (namesResults && name === '')
    throw notes.refusalError(
      path,
      'requires the tool name of each result, but the call of this result is missing',
    );
  if (hasFailed && !reportsToolFailure) notes.drop(`${path}.is_error`);
  if (pictureTypes && pictures.some(({ mimeType }) => !pictureTypes.has(mimeType)))
    throw notes.refusalError(path, `accepts only files of type ${[...pictureTypes].join(', ')}`);
}

/** The kind of content that a provider signed. */
type SignedContent = 'reasoning' | 'call';

/**
 * Marks a provider's signature with its API format, because providers of other formats cannot read it, and with the
 * kind of signed content. The result is base64, which every format accepts. Callers send it back unchanged.
 */
export function sealSignature(format: TextFormatId, signature: string, content: SignedContent): string {
  return Buffer.from(`${format} ${content}:${signature}`).toString('base64');
}

/** Returns the signature if `sealSignature` marked it with this format and this kind of content. */
export function unsealSignature(format: string, seal: string, content: SignedContent): string | undefined {
  const text = Buffer.from(seal, 'base64').toString();
  const [origin = ''] = text.split(':', 1);
  return origin === `${format} ${content}` ? text.slice(origin.length + 1) : undefined;
}
