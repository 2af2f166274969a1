import * as vscode from 'vscode';
import type { ConversationService } from '../../../conversations/conversationService.ts';
import type { ListedConversation } from '../../../conversations/store/listing.ts';
import { requestText } from '../../kit/display/quickInput.ts';
import { formatChatName } from './chatRows.ts';

const maxTitleLength = 200;

/**
 * Lets the user enter a title for a chat. If the title is empty, the chat is named after its first question.
 *
 * @param suggested the initial text of the input
 */
export async function renameChat(
  conversations: ConversationService,
  { id, beginning, title }: ListedConversation,
  suggested = title,
): Promise<void> {
  const defaultName = formatChatName({ title: '', beginning });
  const typed = await requestText({
    title: vscode.l10n.t('Rename Chat'),
    prompt: vscode.l10n.t('Leave it empty to name the chat after its first question.'),
    placeHolder: defaultName,
    value: suggested || defaultName,
    problem: (text) =>
      text.trim().length > maxTitleLength
        ? vscode.l10n.t('A title can have at most {0} characters.', maxTitleLength)
        : undefined,
  });
  if (typed === undefined) return;
  const name = typed.trim().replace(/\s+/g, ' ');
  await conversations.change((store) => store.rename(id, name === defaultName ? '' : name));
}
