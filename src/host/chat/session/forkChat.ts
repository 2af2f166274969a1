import * as vscode from 'vscode';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import type { ConversationService, ReopenedChat } from '../../../conversations/conversationService.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { readFirstQuestion } from './chatTitle.ts';
import type { StoredConversation } from './storedConversation.ts';

const maxNameLength = 100;

/** The initial state of a fork: a stored chat, or a conversation if the fork could not be stored. */
type Fork = { readonly reopened: ReopenedChat } | { readonly conversation: Conversation };

/**
 * Copies a chat up to a turn. The copy is stored with a title. If this fails, the copy is stored when its next question
 * is sent.
 *
 * @returns undefined while the reply of the turn arrives
 */
export async function forkChat(
  conversations: ConversationService,
  { conversation, saver, ownTitle }: StoredConversation,
  turnId: string,
): Promise<Fork | undefined> {
  const copy = conversation.forkAt(turnId);
  if (!copy) return undefined;
  await saver.flush();
  const title = createForkTitle(ownTitle || readFirstQuestion(conversation));
  const reopened = saver.problem ? undefined : await storeFork(conversations, saver.id, turnId, title);
  return reopened ? { reopened } : { conversation: copy };
}

/** Creates the title of a fork from the title of its original. */
export function createForkTitle(original: string): string {
  const name = plainLine(original, maxNameLength).trim();
  const suffix = vscode.l10n.t('{0} (fork)', '').trim();
  return name.endsWith(suffix) ? name : vscode.l10n.t('{0} (fork)', name).trim();
}

async function storeFork(
  conversations: ConversationService,
  id: string,
  turnId: string,
  title: string,
): Promise<ReopenedChat | undefined> {
  try {
    const forkId = await conversations.change((store) => store.fork(id, turnId, title));
    return forkId === undefined ? undefined : await conversations.reopen(forkId);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
