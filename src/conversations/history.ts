import { type Explanation, explain, type SentenceId } from '../wire/explanations/explanation.ts';
import type { Message, MessagePart } from '../wire/message.ts';
import type { Omissions } from '../wire/omissions.ts';
import { withFiles } from './askedFile.ts';
import type { MissingPart } from './record.ts';
import { joinedTexts } from './reply.ts';
import { type Answer, type Asking, isGone, type Prompt } from './turn.ts';

/** A question with its answer, which may consist of several that continue each other. */
export interface Exchange {
  readonly prompt: Prompt;
  readonly answers: readonly Answer[];
}

/** The messages of an earlier exchange, before a question. What does not go along is added to `omitted`. */
export function exchangeMessages(
  { prompt, answers }: Exchange,
  next: Asking,
  omitted: Omissions,
): readonly Message[] {
  const parts = answers.flatMap((answer) => replayableParts(answer, next, omitted));
  return [userMessage(prompt, omitted), { role: 'assistant', parts: joinedTexts(parts) }];
}

/** The instructions above a conversation. */
export function systemMessages({ systemPrompt = '' }: Asking): readonly Message[] {
  if (systemPrompt.trim() === '') return [];
  return [{ role: 'system', parts: [{ type: 'text', text: systemPrompt }] }];
}

/** Whether a request leaves something out because it is not on the disk any more, or never was. */
export function isOfMissing({ id }: Explanation): boolean {
  return omissionsOfMissing.includes(id);
}

const omissionsOfMissing: readonly SentenceId[] = [
  'omitted-missing-picture',
  'omitted-missing-file',
  'omitted-missing-attachment',
  'omitted-unimported-file',
  'omitted-unimported-attachment',
];

/** The message of a question. What of it is gone from the disk is added to `omitted`. */
export function userMessage(prompt: Prompt, omitted: Omissions): Message {
  const { images, files, missing = [] } = prompt;
  omitMissing(missing, omitted);
  // Providers refuse an empty message.
  const text = isGone(prompt) ? goneWords : prompt.text;
  return { role: 'user', parts: [...images, { type: 'text', text: withFiles(text, files) }] };
}

/** What a model reads in the place of an earlier question of which nothing is left. */
const goneWords = '(What was attached here is not available any more.)';

/** Whether the bytes of something that is missing were here once: the file that was imported may have lacked them. */
export function wasThere({ type }: MissingPart): boolean {
  return type !== 'other';
}

/** What people called something that is missing, where they gave it a name. */
export function nameOfMissing(part: MissingPart): string | undefined {
  const name = part.type === 'other' ? part.value.name : part.name;
  return typeof name === 'string' && name !== '' ? name : undefined;
}

function omitMissing(missing: readonly MissingPart[], omitted: Omissions): void {
  for (const part of missing) omitted.add(omissionOf(part));
}

function omissionOf(part: MissingPart): Explanation {
  const file = nameOfMissing(part);
  if (!wasThere(part)) {
    return file === undefined
      ? explain('omitted-unimported-attachment')
      : explain('omitted-unimported-file', { file });
  }
  if (file !== undefined) return explain('omitted-missing-file', { file });
  return explain(part.type === 'image' ? 'omitted-missing-picture' : 'omitted-missing-attachment');
}

/**
 * The parts of a reply that go into the next request. The others are added to `omitted`. Providers
 * refuse a call without a result, and reasoning signed by another model or format.
 */
function replayableParts(
  { replies: [reply], asked }: Answer,
  next: Asking,
  omitted: Omissions,
): readonly MessagePart[] {
  const parts = reply?.parts ?? [];
  omitMissing(reply?.missing ?? [], omitted);
  const isOther = asked.model !== next.model || asked.format !== next.format;
  return parts.filter(({ type }) => {
    if (type === 'toolCall') omitted.add(explain('omitted-unanswered-call'));
    else if (type === 'reasoning' && isOther) omitted.add(explain('omitted-reasoning-of-another'));
    else return true;
    return false;
  });
}
