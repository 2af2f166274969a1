import type * as vscode from 'vscode';
import type { OtherInitiator } from '../../../conversations/store/usage.ts';
import { extensionId } from '../../kit/manifest/contributions.ts';

/** Whether the request comes from VS Code's own chat, and not from another extension. */
export function isFromVsCodeChat(options: vscode.ProvideLanguageModelChatResponseOptions): boolean {
  return /^github\.copilot/i.test(initiatorOf(options) ?? '');
}

/** The caller to record the usage for: VS Code's chat if the initiator is unknown or our participant. */
export function usageInitiator(options: vscode.ProvideLanguageModelChatResponseOptions): OtherInitiator {
  const initiator = initiatorOf(options)?.toLowerCase();
  const isInChat = initiator === undefined || initiator === extensionId.toLowerCase();
  return isInChat || isFromVsCodeChat(options) ? 'vscodeChat' : 'extensions';
}

/** The id of the requesting extension, which the typings lack. */
function initiatorOf(options: vscode.ProvideLanguageModelChatResponseOptions): string | undefined {
  const { requestInitiator } = options as { readonly requestInitiator?: unknown };
  return typeof requestInitiator === 'string' && requestInitiator !== '' ? requestInitiator : undefined;
}
