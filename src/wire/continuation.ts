import type { ForeignPart, Message } from './message.ts';

/** How a model is asked to go on with a reply that was cut. */
export type ContinuationForm =
  /** The conversation ends with the reply, which the model goes on writing. */
  | 'prefix'
  /** The user's next message asks for it. */
  | 'instruction';

const instruction =
  'Your last message was cut off. Go on with the very next character, a space or a line break where one comes ' +
  'next. Do not repeat anything, do not greet, and do not open a code block again that is still open.';

/** How many characters of a reply's end are quoted. */
const quotedLength = 80;

/** What the user would write so that a model goes on with a reply. */
export function continuationRequest(reply: string): string {
  const end = reply.slice(-quotedLength);
  return end === '' ? instruction : `${instruction} It ends with: ${JSON.stringify(end)}`;
}

/** A conversation that asks for the rest of a reply. */
export interface CutConversation {
  /** The messages before the reply. */
  readonly before: readonly Message<ForeignPart>[];
  /** The reply so far. */
  readonly said: string;
  readonly form: ContinuationForm;
}

/** Reads a request to go on, in either form; undefined for any other. */
export function readContinuation(messages: readonly Message<ForeignPart>[]): CutConversation | undefined {
  const last = messages.at(-1);
  const form = last?.role === 'assistant' ? 'prefix' : asksToGoOn(last) ? 'instruction' : undefined;
  const replies = form === 'instruction' ? messages.slice(0, -1) : messages;
  const reply = replies.at(-1);
  if (form === undefined || reply?.role !== 'assistant') return undefined;
  const said = textOf(reply);
  return said === '' ? undefined : { before: replies.slice(0, -1), said, form };
}

/** Longer texts ask for more than that, and the pattern takes long for them. */
const maxPhraseLength = 200;

function asksToGoOn(message: Message<ForeignPart> | undefined): boolean {
  if (message?.role !== 'user' || message.parts.some(({ type }) => type !== 'text')) return false;
  const text = textOf(message);
  if (text.startsWith(instruction)) return true;
  return text.length <= maxPhraseLength && /^\W*(please )?(continue|go on|继续)\W*$/iu.test(text);
}

function textOf({ parts }: Message<ForeignPart>): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
