import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { TabPlace } from '../../kit/display/tabs.ts';
import type { Panels } from '../../kit/pages/panels.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import type { ChatOpening } from '../tab/chatPanels.ts';
import type { ClosedChats } from '../tab/closedChats.ts';

/** Where chats are open, were closed and are kept. */
export interface AllChats {
  readonly chats: Panels<ChatPanel, ChatOpening>;
  readonly closedChats: ClosedChats;
  readonly conversations: ConversationService;
}

/**
 * Shows a kept chat: in its tab where it has one, else as it was left.
 *
 * @returns undefined when it is gone for good
 * @throws {StorageError} when it cannot be read
 */
export async function openChat(
  { chats, closedChats, conversations }: AllChats,
  id: string,
  place: TabPlace = {},
): Promise<ChatPanel | undefined> {
  const open = chats.all.find(({ session }) => session.id === id);
  if (open) return chats.open({ session: open.session }, place);
  const session = closedChats.take(id);
  if (session) return chats.open({ session }, place);
  const store = await conversations.store();
  // The tab of a chat that is gone would open empty.
  return store.get(id) && chats.openAgain({ chat: id }, place);
}
