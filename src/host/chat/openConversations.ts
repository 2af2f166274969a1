import * as vscode from 'vscode';
import { errorTrace } from '../../base/errors.ts';
import { AnswerChecker } from '../../conversations/answerCheck/answerChecker.ts';
import { ConversationService } from '../../conversations/conversationService.ts';
import { ConversationWorker } from '../../conversations/worker/conversationWorker.ts';
import type { StorageNotice } from '../../storage/followHealth.ts';
import { DailyUpkeep } from '../../storage/upkeep/dailyUpkeep.ts';
import type { Log } from '../kit/display/log.ts';
import { showStorageNotice } from '../kit/display/storageNotice.ts';

/** Creates the service that keeps conversations, in a file of the extension's storage. */
export function createConversationService(
  { globalStorageUri }: vscode.ExtensionContext,
  worker: ConversationWorker,
  log: Log,
): ConversationService {
  return new ConversationService({
    ...{ file: conversationsFile(globalStorageUri), worker },
    onNotice: (notice) => void showStoreNotice(notice),
    onError: (error) => log.error('chat', errorTrace(error)),
  });
}

/** Creates the worker of these conversations, whose thread starts when it is first asked. */
export function createConversationWorker({
  extensionUri,
  globalStorageUri,
}: vscode.ExtensionContext): ConversationWorker {
  const program = vscode.Uri.joinPath(extensionUri, 'dist', 'conversationsWorker.js').fsPath;
  return new ConversationWorker(program, { file: conversationsFile(globalStorageUri) });
}

/** Keeps the file of these conversations in order from the time on when it is opened. */
export function createDailyUpkeep(
  { globalStorageUri }: vscode.ExtensionContext,
  conversations: ConversationService,
  worker: ConversationWorker,
  log: Log,
): DailyUpkeep {
  const upkeep = new DailyUpkeep({
    file: conversationsFile(globalStorageUri),
    worker,
    purge: () => worker.ask('purge', undefined),
    onNotice: (notice) => void showStoreNotice(notice),
    onError: (error) => log.error('chat', errorTrace(error)),
  });
  conversations.onDidOpen(() => upkeep.start());
  return upkeep;
}

/** Creates what holds answers against their schemas, whose thread starts when there is one. */
export function createAnswerChecker({ extensionUri }: vscode.ExtensionContext): AnswerChecker {
  return new AnswerChecker(vscode.Uri.joinPath(extensionUri, 'dist', 'answerCheck.js').fsPath);
}

function conversationsFile(globalStorage: vscode.Uri): string {
  return vscode.Uri.joinPath(globalStorage, 'conversations.sqlite').fsPath;
}

/** Shows that the file of chats cannot be written, or had to be repaired. */
async function showStoreNotice(notice: StorageNotice): Promise<void> {
  await showStorageNotice(notice, {
    file: vscode.l10n.t('chat file'),
    readOnly: vscode.l10n.t('Chats are shown, but changes are not saved.'),
    rows: vscode.l10n.t('chats'),
  });
}
