import type * as vscode from 'vscode';
import { nonEmptyString } from '../../../base/json.ts';
import type { OtherInitiator } from '../../../conversations/store/usageLedger.ts';
import { extensionId } from '../../kit/manifest/contributions.ts';
import type { UnpublishedOptions } from './list/unpublishedFields.ts';

type Options = vscode.ProvideLanguageModelChatResponseOptions & UnpublishedOptions;

/** Whether the request comes from VS Code's own chat, and not from another extension. */
export function isFromVsCodeChat(options: Options): boolean {
  return /^(?:core$|github\.copilot)/i.test(readInitiator(options) ?? '');
}

/** Whether the request comes from an agent in VS Code's agent host, which repeats failed requests. */
export function isFromAgentHost(options: Options): boolean {
  return readInitiator(options) === 'core' && options.includeEncryptedThinking === true;
}

/** The caller to record the usage for: VS Code's chat if the initiator is unknown or our participant. */
export function usageInitiator(options: Options): OtherInitiator {
  const initiator = readInitiator(options)?.toLowerCase();
  const isInChat = initiator === undefined || initiator === extensionId.toLowerCase();
  return isInChat || isFromVsCodeChat(options) ? 'vscodeChat' : 'extensions';
}

function readInitiator({ requestInitiator }: Options): string | undefined {
  return nonEmptyString(requestInitiator);
}
