import * as vscode from 'vscode';
import type { GatewayError } from '../../../wire/failures/gatewayError.ts';
import {
  computeWaitMs,
  type FailureAction,
  failureMessage,
  formatFailure,
} from '../../connection/failureMessage.ts';
import { plainLine, plainText } from '../../kit/display/plainText.ts';
import { getActionCommand, getActionLabel } from '../../kit/noticeActions.ts';
import { refusedTool } from './refusedTool.ts';
import type { VsCodeTool } from './requestSettings.ts';

/** The limit of next steps in a message. The first steps are the most likely to help. */
const maxSteps = 2;

const maxNameLength = 80;
const maxLength = 4000;

/** The error that VS Code receives for a failed request. Its message contains the cause and the next steps. */
export function replyFailure(error: GatewayError, tools: readonly VsCodeTool[]): Error {
  const message = failureMessage(error);
  const { title, actions, requestId } = message;
  const steps = actions.flatMap((action) => stepWords(action) ?? []).slice(0, maxSteps);
  const waitMs = computeWaitMs('again', message);
  // Rounded up, because the text shows only full seconds.
  const retryTime = new Date(Date.now() + waitMs + 999).toLocaleTimeString(vscode.env.language);
  const paragraphs = [
    vscode.l10n.t('{0}. {1}', title, formatFailure(message)),
    error.kind === 'invalid-parameters' ? refusalWords(error, tools) : undefined,
    // Without the duration of the wait, because VS Code's agent host shows the message 20 seconds later.
    waitMs > 0 ? vscode.l10n.t('You can try again at {0}.', retryTime) : undefined,
    steps.length > 0 ? vscode.l10n.t('What you can do: {0}.', steps.join('; ')) : undefined,
    requestId === undefined ? undefined : vscode.l10n.t('Request ID: {0}', requestId),
  ];
  // VS Code's chat renders the message as Markdown.
  return asVsCodeError(error, plainText(paragraphs.filter(Boolean).join('\n\n'), maxLength));
}

/**
 * Copies an error with its message only, for VS Code's own chat, which shows an error's stack to the user.
 */
export function withoutStack(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof vscode.CancellationError) return error;
  const copy = new Error(error.message);
  copy.stack = '';
  return copy;
}

/** Other extensions distinguish these kinds of errors. */
function asVsCodeError({ kind }: GatewayError, words: string): Error {
  switch (kind) {
    case 'authentication':
      return vscode.LanguageModelError.NoPermissions(words);
    case 'model-unavailable':
      return vscode.LanguageModelError.NotFound(words);
    case 'rate-limited':
    case 'quota':
    case 'spending-limit':
      return vscode.LanguageModelError.Blocked(words);
    default:
      return new Error(words);
  }
}

/** The text of a next step in VS Code's own chat; undefined for steps that only our pages offer. */
function stepWords(action: FailureAction): string | undefined {
  switch (action) {
    case 'again':
      return vscode.l10n.t('send the message again');
    case 'choose-model':
      return vscode.l10n.t('choose another model in the model picker');
    case 'new-chat':
      return vscode.l10n.t('start a new chat, or remove some files');
    case 'choose-format':
    case 'open-parameters':
    case 'show-field':
    case 'copy-details':
    case 'show-log':
    case 'open-help':
      return undefined;
    case 'open-request':
      return vscode.l10n.t('look at the request in the Requests view');
    case 'open-limits':
      return vscode.l10n.t('change the setting “modelGateway.spendingLimits”');
    case 'open-gateway-settings':
    case 'open-timeouts':
      return inPalette(vscode.l10n.t('Open Settings'));
    case 'open-proxy':
      return vscode.l10n.t('check the setting “http.proxy”');
    case 'change-address':
      return inPalette(vscode.l10n.t('Manage Gateway…'));
    default:
      return getActionCommand(action) === undefined ? undefined : inPalette(getActionLabel(action));
  }
}

function inPalette(title: string): string {
  return vscode.l10n.t('run “Model Gateway: {0}” in the Command Palette', title);
}

/** Names the refused tool or, if it is unknown, the largest tool; undefined if the refusal is not about tools. */
function refusalWords(error: GatewayError, tools: readonly VsCodeTool[]): string | undefined {
  const refused = refusedTool(error, tools);
  if (!refused) return undefined;
  const name = plainLine(refused.tool.name, maxNameLength);
  const words = refused.isNamed
    ? vscode.l10n.t('It refuses the tool “{0}”.', name)
    : vscode.l10n.t('{0} tools were sent; the largest is “{1}”.', tools.length, name);
  return `${words} ${vscode.l10n.t('Turn off tools with Configure Tools… in the chat.')}`;
}
