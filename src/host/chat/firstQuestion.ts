import type { Conversation } from '../../conversations/conversation/conversation.ts';

/** The question that was asked first, on whichever branch it stands, as the list of chats has it. */
export function firstQuestion(conversation: Conversation): string {
  const [first] = conversation.following(undefined);
  return first === undefined ? '' : conversation.prompt(first).text;
}
