import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { TabLocation } from '../../kit/display/editorTabs.ts';
import type { Panels } from '../../kit/pages/panels.ts';
import type { ChatPanel } from './chatPanel.ts';
import type { ChatOpening } from './chatPanels.ts';
import type { ClosedChats } from './closedChats.ts';

/** The open, closed and stored chats. */
export interface AllChats {
  readonly chats: Panels<ChatPanel, ChatOpening>;
  readonly closedChats: ClosedChats;
  readonly conversations: ConversationService;
}

/**
 * Shows a stored chat in its existing tab, otherwise in a new tab with the chat's previous state.
 *
 * @returns undefined if the chat does not exist any more
 * @throws {StorageError} if the chat cannot be read
 */
export async function openChat(
  { chats, closedChats, conversations }: AllChats,
  id: string,
  location: TabLocation = {},
): Promise<ChatPanel | undefined> {
  const open = chats.all.find(({ session }) => session.id === id);
  if (open) return chats.open({ session: open.session }, location);
  const session = closedChats.take(id);
  if (session) return chats.open({ session }, location);
  const store = await conversations.store();
  // Without this check, the tab of a missing chat would open empty.
  return store.get(id) && chats.reopen({ chat: id }, location);
}
