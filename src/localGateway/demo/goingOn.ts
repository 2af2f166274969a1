import { type CutConversation, readContinuation } from '../../wire/continuation.ts';
import { type Conversation, readConversation } from './conversation.ts';
import { type Draft, writeDraft } from './draft.ts';
import type { Prompt } from './prompt.ts';

/** What a demo model writes a draft from. */
interface Task {
  readonly conversation: Conversation;
  readonly said: string;
  readonly reasons: boolean;
}

/** The models whose replies may be gone on with, and whether each of them reasons. */
export interface Writer {
  readonly model: string;
  readonly reasons: boolean;
}

/**
 * The drafts of the rest of a cut reply: what the model that began it would have written on; undefined for another
 * question, and after a whole reply, where the words are a question like any other.
 */
export function restOfReply(prompt: Prompt, writers: readonly Writer[]): readonly [Draft] | undefined {
  const cut = readContinuation(prompt.messages);
  if (!cut) return undefined;
  const tasks = writers.map((writer) => taskOf(cut, writer));
  const drafts = tasks.map((task) => draftOf(prompt, task));
  const own = drafts.find(({ isOwn }) => isOwn) ?? drafts[0];
  if (!own || (own.isOver && cut.form === 'instruction')) return undefined;
  return [own.draft];
}

function taskOf({ before, said }: CutConversation, { model, reasons }: Writer): Task {
  return { conversation: readConversation({ model, messages: before }), said, reasons };
}

function draftOf(prompt: Prompt, { conversation, said, reasons }: Task) {
  const whole = writeDraft({ ...prompt, maxTokens: Infinity }, conversation, 0, reasons);
  const text = whole.content.join('');
  const draft = writeDraft({ ...prompt, said }, conversation, 0, reasons);
  return { draft, isOwn: text.startsWith(said), isOver: text === said };
}
