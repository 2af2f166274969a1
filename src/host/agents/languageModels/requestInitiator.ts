import type * as vscode from 'vscode';
import type { OtherAsker } from '../../../conversations/store/usage.ts';
import { extensionId } from '../../kit/manifest/contributions.ts';

/** Whether VS Code's own chat asks, and not another extension. */
export function isVsCodesChat(options: vscode.ProvideLanguageModelChatResponseOptions): boolean {
  return /^github\.copilot/i.test(initiatorOf(options) ?? '');
}

/** With whom a request counts. Where nobody tells who asks, and for our participant, it is VS Code's chat. */
export function askerOf(options: vscode.ProvideLanguageModelChatResponseOptions): OtherAsker {
  const initiator = initiatorOf(options)?.toLowerCase();
  const isInChat = initiator === undefined || initiator === extensionId.toLowerCase();
  return isInChat || isVsCodesChat(options) ? 'vscodeChat' : 'extensions';
}

/** The id of the extension that asks, which the typings lack. */
function initiatorOf(options: vscode.ProvideLanguageModelChatResponseOptions): string | undefined {
  const { requestInitiator } = options as { readonly requestInitiator?: unknown };
  return typeof requestInitiator === 'string' && requestInitiator !== '' ? requestInitiator : undefined;
}
