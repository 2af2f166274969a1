import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import { ConversationService } from '../../conversations/conversationService.ts';
import type { Log } from '../log.ts';
import { showStoreNotice } from './storeMessages.ts';

/** Creates the service that keeps conversations, in a file of the extension's storage. */
export function createConversationService(
  { globalStorageUri }: vscode.ExtensionContext,
  log: Log,
): ConversationService {
  return new ConversationService({
    file: vscode.Uri.joinPath(globalStorageUri, 'conversations.sqlite').fsPath,
    onNotice: (notice) => void showStoreNotice(notice),
    onError: (error) => log.error('chat', errorTrace(error)),
  });
}
