import * as vscode from 'vscode';
import type { Conversation } from '../../conversations/conversation/conversation.ts';
import type { ConversationService, ReopenedChat } from '../../conversations/conversationService.ts';
import { StorageError } from '../../storage/sqlite/storageError.ts';
import { plainLine } from '../kit/display/plainText.ts';
import { firstQuestion } from './firstQuestion.ts';
import type { KeptChat } from './keptChat.ts';

const maxNameLength = 100;

/** What a fork begins with: a chat that is kept, or a conversation that is not kept yet. */
type Fork = { readonly reopened: ReopenedChat } | { readonly conversation: Conversation };

/**
 * A copy of what was said in a chat up to a turn, kept under a title of its own. Where the disk refuses, it is kept
 * with its first question, as any chat is.
 *
 * @returns undefined while the reply of the turn arrives
 */
export async function forkedChat(
  conversations: ConversationService,
  { conversation, keeper, ownTitle }: KeptChat,
  turnId: string,
): Promise<Fork | undefined> {
  const copy = conversation.forkAfter(turnId);
  if (!copy) return undefined;
  await keeper.flush();
  const title = forkTitle(ownTitle || firstQuestion(conversation));
  const reopened = keeper.problem ? undefined : await keptFork(conversations, keeper.id, turnId, title);
  return reopened ? { reopened } : { conversation: copy };
}

/** The title of a fork, after that of its original. */
export function forkTitle(original: string): string {
  const name = plainLine(original, maxNameLength).trim();
  const ending = vscode.l10n.t('{0} (fork)', '').trim();
  return name.endsWith(ending) ? name : vscode.l10n.t('{0} (fork)', name).trim();
}

async function keptFork(
  conversations: ConversationService,
  ...fork: [id: string, turnId: string, title: string]
): Promise<ReopenedChat | undefined> {
  try {
    const id = await conversations.change((store) => store.fork(...fork));
    return id === undefined ? undefined : await conversations.reopen(id);
  } catch (error) {
    if (error instanceof StorageError) return undefined;
    throw error;
  }
}
