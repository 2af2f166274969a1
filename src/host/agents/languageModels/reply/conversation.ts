import type { AskedModel, SaidTurn } from '../../../../conversations/said/saidTurn.ts';
import type { Admission } from '../../../../wire/apis/format/requestForm.ts';
import type { ForeignMessage, ForeignPart, ForeignResult } from '../../../../wire/message.ts';
import { sentToolName } from '../toolNames.ts';
import { callIds, turnIds } from './turnIds.ts';

/**
 * The conversation as a model is asked to go on with it: with what it said itself unchanged where that is known, and
 * words in place of what its API format cannot carry.
 *
 * @param turns what is known of what models said, by `turnIds`
 */
export function askedConversation(
  messages: readonly ForeignMessage[],
  turns: ReadonlyMap<string, SaidTurn>,
  asked: AskedModel,
  admission: Admission,
): readonly ForeignMessage[] {
  const ids = turnIds(messages, asked);
  const known = messages.map((message, nth) => saidIn(message, turns.get(ids[nth] ?? ''), asked));
  const ownIds = new Map(
    known.flatMap((turn) => turn?.calls.map(({ id, ownId }) => [id, ownId] as const) ?? []),
  );
  return messages.map((message, nth) => {
    const turn = known[nth];
    const note = known[nth - 1]?.note;
    const parts = message.parts.flatMap((part) =>
      fitted(withOwnNames(part, ownIds), message.role, admission),
    );
    return {
      role: message.role,
      parts: note === undefined ? parts : [...parts, { type: 'text', text: note }],
      ...(turn && { verbatim: turn.said }),
    };
  });
}

/** The turn of a message, if all its calls are there, and it was said by the model that is asked. */
function saidIn(
  message: ForeignMessage,
  turn: SaidTurn | undefined,
  { gateway, model, format }: AskedModel,
): SaidTurn | undefined {
  const ids = callIds(message);
  if (!turn || turn.calls.length !== ids.length || turn.calls.some(({ id }, nth) => id !== ids[nth]))
    return undefined;
  const { asked } = turn;
  return asked.gateway === gateway && asked.model === model && asked.format === format ? turn : undefined;
}

function withOwnNames(part: ForeignPart, ownIds: ReadonlyMap<string, string>): ForeignPart {
  if (part.type !== 'toolCall' && part.type !== 'toolResult') return part;
  return { ...part, id: ownIds.get(part.id) ?? part.id, name: sentToolName(part.name) };
}

function fitted(
  part: ForeignPart,
  role: ForeignMessage['role'],
  { pictureTypes, documentTypes, answersHoldPictures }: Admission,
): readonly ForeignPart[] {
  switch (part.type) {
    case 'image':
      if (role === 'user') return [picture(part, pictureTypes)];
      return role === 'assistant' && answersHoldPictures ? [part] : [leftOut(part.mimeType)];
    case 'document':
      return role !== 'user' || (documentTypes && !documentTypes.has(part.mimeType))
        ? [leftOut(part.mimeType)]
        : [part];
    case 'toolResult':
      return [fittedResult(part, pictureTypes)];
    default:
      return [part];
  }
}

function fittedResult(
  result: ForeignPart & ForeignResult,
  types: ReadonlySet<string> | undefined,
): ForeignPart {
  const { pictures = [], ...rest } = result;
  const isTaken = ({ mimeType }: (typeof pictures)[number]) => !types || types.has(mimeType);
  const taken = pictures.filter(isTaken);
  const left = pictures.filter((each) => !isTaken(each)).map(({ mimeType }) => leftOut(mimeType, types));
  const text = [rest.text, ...left.map((each) => each.text)].filter(Boolean).join('\n');
  return { ...rest, text, ...(taken.length > 0 && { pictures: taken }) };
}

function picture(
  part: Extract<ForeignPart, { type: 'image' }>,
  types: ReadonlySet<string> | undefined,
): ForeignPart {
  return !types || types.has(part.mimeType) ? part : leftOut(part.mimeType, types);
}

/** Words in its place, which the model can tell the user. */
function leftOut(mimeType: string, taken?: ReadonlySet<string>) {
  const why = taken
    ? `only ${[...taken].join(', ')} can be sent to this model`
    : 'it cannot be sent to this model';
  return { type: 'text', text: `[A file of type ${mimeType} was left out: ${why}.]` } as const;
}
