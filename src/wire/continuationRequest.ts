import type { ForeignPart, Message } from './message.ts';

/** The form of a request to continue a cut reply. */
export type ContinuationForm =
  /** The conversation ends with the reply, and the model continues it. */
  | 'prefix'
  /** The user's next message requests the continuation. */
  | 'instruction';

const instruction =
  'Your last message was cut off. Go on with the very next character, a space or a line break where one comes ' +
  'next. Do not repeat anything, do not greet, and do not open a code block again that is still open.';

/** The number of characters that are quoted from the end of a reply. */
const quotedLength = 80;

/** The user message that requests the continuation of a reply. */
export function writeContinuationRequest(reply: string): string {
  const end = reply.slice(-quotedLength);
  return end === '' ? instruction : `${instruction} It ends with: ${JSON.stringify(end)}`;
}

/** A conversation that requests the rest of a reply. */
export interface CutConversation {
  /** The messages before the reply. */
  readonly before: readonly Message<ForeignPart>[];
  /** The reply so far. */
  readonly reply: string;
  readonly form: ContinuationForm;
}

/** Reads a continuation request in either form; undefined for any other request. */
export function readContinuation(messages: readonly Message<ForeignPart>[]): CutConversation | undefined {
  const last = messages.at(-1);
  const form = last?.role === 'assistant' ? 'prefix' : requestsContinuation(last) ? 'instruction' : undefined;
  const replies = form === 'instruction' ? messages.slice(0, -1) : messages;
  const reply = replies.at(-1);
  if (form === undefined || reply?.role !== 'assistant') return undefined;
  const text = joinTexts(reply);
  return text === '' ? undefined : { before: replies.slice(0, -1), reply: text, form };
}

/** A longer text also requests something else, and matching it against the pattern would take too long. */
const maxPhraseLength = 200;

function requestsContinuation(message: Message<ForeignPart> | undefined): boolean {
  if (message?.role !== 'user' || message.parts.some(({ type }) => type !== 'text')) return false;
  const text = joinTexts(message);
  if (text.startsWith(instruction)) return true;
  return text.length <= maxPhraseLength && /^\W*(please )?(continue|go on|继续)\W*$/iu.test(text);
}

function joinTexts({ parts }: Message<ForeignPart>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
