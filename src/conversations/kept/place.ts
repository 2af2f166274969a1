import type { Conversation } from '../conversation/conversation.ts';
import type { Prompt } from '../conversation/turn.ts';
import type { Asking } from '../store/asking.ts';
import type { Attachments } from '../store/attachments.ts';
import { promptParts } from './messageRecords.ts';

/** Where an answer stands when it is asked for: the conversation may be another one by the time it is written. */
export interface Place {
  /** The ids of the messages above it, the nearest one first. */
  readonly above: readonly string[];
  /** The question that it answers; absent for an answer that continues another. */
  readonly prompt?: Prompt;
}

export function placeOf(conversation: Conversation, answer: string): Place {
  const above: string[] = [];
  for (let id = conversation.above(answer); id !== undefined; id = conversation.above(id)) above.push(id);
  const [first] = above;
  const isAsked = first !== undefined && conversation.isQuestion(first);
  return { above, ...(isAsked && { prompt: conversation.prompt(first) }) };
}

/**
 * What an answer is stored below: its question, where that is new, or else the message above it.
 *
 * @param kept the ids of the messages in the store: what was filled in for the screen is not
 */
export async function storedBelow(
  { above, prompt }: Place,
  kept: ReadonlySet<string>,
  attachments: Attachments,
): Promise<Pick<Asking, 'parent' | 'question'>> {
  const [question] = above;
  const parent = above.find((id) => kept.has(id));
  const isNew = prompt !== undefined && question !== undefined && question !== parent;
  return {
    ...(parent !== undefined && { parent }),
    ...(isNew && { question: { id: question, parts: await promptParts(prompt, attachments) } }),
  };
}
