import { isObject, parseJson } from '../../base/json.ts';
import type { AskedMessage, AskedPart } from '../../wire/apis/format/askedRequest.ts';
import { isTooDeep, maxDepth } from '../../wire/apis/format/encoding.ts';
import type { Admission } from '../../wire/apis/format/requestForm.ts';
import type { ConversionNotes } from './notes.ts';
import { unsealed } from './seal.ts';

type PartOf<Type extends AskedPart['type']> = Extract<AskedPart, { type: Type }>;

/**
 * The conversation without what only advises and has no place in the format.
 *
 * @throws {HttpError} for content that would be lost
 */
export function admittedMessages(
  messages: readonly AskedMessage[],
  model: string,
  admission: Admission,
  notes: ConversionNotes,
): readonly AskedMessage[] {
  const getsUnsigned = admission.takesUnsignedReasoning?.(model) === true;
  const begun = messages.findIndex(({ role }) => role !== 'system');
  return messages.map((message, nth) => {
    const isMoved = message.role === 'system' && begun >= 0 && nth > begun;
    if (isMoved && !admission.keepsInstructions) notes.drop(`${message.at}.role`);
    const parts = withSignedCalls(message.parts, admission).flatMap((part) =>
      getsUnsigned && isUnsignedReasoning(part) ? [part] : admitted(part, message, admission, notes),
    );
    return { ...message, parts };
  });
}

/**
 * Formats whose calls hold no signature write it as reasoning before the call, or after it where it came late. Moves
 * it back to the call.
 */
function withSignedCalls(
  parts: readonly AskedPart[],
  { format, takesCallSignatures }: Admission,
): readonly AskedPart[] {
  const moved: AskedPart[] = [];
  let waiting: string | undefined;
  for (const part of parts) {
    if (part.type === 'toolCall' && waiting !== undefined && part.signature === undefined) {
      moved.push({ ...part, signature: waiting });
      waiting = undefined;
    } else if (takesCallSignatures && part.type === 'reasoning' && signsCall(part, format)) {
      waiting = part.signature;
      const { signature: _, ...unsigned } = part;
      if (part.text !== '') moved.push(unsigned);
    } else moved.push(part);
  }
  const last = moved.findLastIndex(({ type }) => type === 'toolCall');
  const call = moved[last];
  return waiting === undefined || call?.type !== 'toolCall' || call.signature !== undefined
    ? moved
    : moved.with(last, { ...call, signature: waiting });
}

function signsCall({ signature }: PartOf<'reasoning'>, format: Admission['format']): boolean {
  return signature !== undefined && unsealed(format, signature, 'call') !== undefined;
}

/** Signed, it is another provider's. */
function isUnsignedReasoning(part: AskedPart): boolean {
  return part.type === 'reasoning' && part.signature === undefined && part.text !== '';
}

function admitted(
  part: AskedPart,
  { role }: AskedMessage,
  admission: Admission,
  notes: ConversionNotes,
): readonly AskedPart[] {
  switch (part.type) {
    case 'image':
    case 'imageLink':
    case 'document':
      checkFile(part, role, admission, notes);
      return [part];
    case 'reasoning':
      return admittedReasoning(part, admission, notes);
    case 'toolCall':
      return [admittedCall(part, admission, notes)];
    case 'toolResult':
      checkResult(part, admission, notes);
      return [part];
    default:
      return [part];
  }
}

function checkFile(
  part: PartOf<'image' | 'imageLink' | 'document'>,
  role: AskedMessage['role'],
  { pictureTypes, documentTypes, answersHoldPictures, linksHaveTypes }: Admission,
  notes: ConversionNotes,
): void {
  if (role === 'system') throw notes.refusal(part.at, 'has no files in instructions');
  if (role === 'assistant' && !answersHoldPictures)
    throw notes.refusal(part.at, 'has no files in what the model said');
  if (part.type === 'imageLink') {
    if (linksHaveTypes && part.mimeType === undefined)
      throw notes.refusal(part.at, 'wants the type of a picture, which its address does not tell');
    return;
  }
  const types = part.type === 'image' ? pictureTypes : documentTypes;
  if (types && !types.has(part.mimeType))
    throw notes.refusal(part.at, `takes files of type ${[...types].join(', ')} only`);
}

function admittedReasoning(
  part: PartOf<'reasoning'>,
  { format, takesReasoning }: Admission,
  notes: ConversionNotes,
): readonly AskedPart[] {
  const signature =
    takesReasoning && part.signature !== undefined
      ? unsealed(format, part.signature, 'reasoning')
      : undefined;
  if (signature !== undefined) return [{ ...part, signature }];
  notes.drop(part.at);
  return [];
}

function admittedCall(
  part: PartOf<'toolCall'>,
  { format, takesCallSignatures, parsesArguments }: Admission,
  notes: ConversionNotes,
): AskedPart {
  const { signature: proof, ...rest } = part;
  // Providers parse the arguments, and nothing is no JSON.
  const call = { ...rest, arguments: part.arguments || '{}' };
  const isObjectText = part.arguments === '' || isObject(parseJson(part.arguments));
  if (parsesArguments && !isObjectText)
    throw notes.refusal(part.at, 'has no calls whose arguments are no JSON object');
  if (parsesArguments && isTooDeep(part.arguments))
    throw notes.refusal(part.at, `is sent no arguments that are nested deeper than ${maxDepth} levels`);
  if (proof === undefined) return call;
  const signature = takesCallSignatures ? unsealed(format, proof, 'call') : undefined;
  if (signature === undefined) notes.drop(`${part.at}.signature`);
  return { ...call, ...(signature !== undefined && { signature }) };
}

function checkResult(
  { name, pictures = [], failed, at }: PartOf<'toolResult'>,
  { namesResults, tellsFailure, pictureTypes }: Admission,
  notes: ConversionNotes,
): void {
  if (namesResults && name === '')
    throw notes.refusal(at, 'names the tool of a result, whose call is missing here');
  if (failed && !tellsFailure) notes.drop(`${at}.is_error`);
  if (pictureTypes && pictures.some(({ mimeType }) => !pictureTypes.has(mimeType)))
    throw notes.refusal(at, `takes files of type ${[...pictureTypes].join(', ')} only`);
}
