import type * as vscode from 'vscode';
import type { OtherInitiator } from '../../../conversations/store/usageLedger.ts';
import { extensionId } from '../../kit/manifest/contributions.ts';

/** Fields of the options that VS Code 1.139 sets and its typings lack. */
interface InitiatorFields {
  /** The id of the requesting extension, or `core` for VS Code itself. */
  readonly requestInitiator?: unknown;
  /** Only VS Code's bridge to the agent host sets it. */
  readonly includeEncryptedThinking?: unknown;
}

type Options = vscode.ProvideLanguageModelChatResponseOptions;

/** Whether the request comes from VS Code's own chat, and not from another extension. */
export function isFromVsCodeChat(options: Options): boolean {
  return /^(?:core$|github\.copilot)/i.test(readInitiator(options) ?? '');
}

/** Whether the request comes from an agent in VS Code's agent host, which repeats failed requests. */
export function isFromAgentHost(options: Options): boolean {
  const { includeEncryptedThinking } = options as InitiatorFields;
  return readInitiator(options) === 'core' && includeEncryptedThinking === true;
}

/** The caller to record the usage for: VS Code's chat if the initiator is unknown or our participant. */
export function usageInitiator(options: Options): OtherInitiator {
  const initiator = readInitiator(options)?.toLowerCase();
  const isInChat = initiator === undefined || initiator === extensionId.toLowerCase();
  return isInChat || isFromVsCodeChat(options) ? 'vscodeChat' : 'extensions';
}

function readInitiator(options: Options): string | undefined {
  const { requestInitiator } = options as InitiatorFields;
  return typeof requestInitiator === 'string' && requestInitiator !== '' ? requestInitiator : undefined;
}
