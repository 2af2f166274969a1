import * as vscode from 'vscode';
import type { GatewayError } from '../../../wire/failure.ts';
import { type FailureAction, failureMessage, failureText, waitOf } from '../../connection/failureMessage.ts';
import { plainLine, plainText } from '../../kit/display/plainText.ts';
import { actionCommand, actionLabel } from '../../kit/noticeActions.ts';
import { refusedTool } from './refusedTool.ts';
import type { HostTool } from './requestSettings.ts';

/** The most next steps that are told: the first ones are the likeliest to help. */
const maxSteps = 2;

const maxNameLength = 80;
const maxLength = 4000;

/** The failure of a request as VS Code shows it in place of a reply: its class, its cause, and what helps. */
export function replyFailure(error: GatewayError, tools: readonly HostTool[]): Error {
  const message = failureMessage(error);
  const { title, actions, requestId } = message;
  const steps = actions.flatMap((action) => stepWords(action) ?? []).slice(0, maxSteps);
  const wait = Math.ceil(waitOf('again', message) / 1000);
  const again = new Date(Date.now() + wait * 1000).toLocaleTimeString(vscode.env.language);
  const words = [
    vscode.l10n.t('{0}. {1}', title, failureText(message)),
    error.kind === 'invalid-parameters' ? refusalWords(error, tools) : undefined,
    wait > 0 ? vscode.l10n.t('Trying again is possible in {0} s, at {1}.', wait, again) : undefined,
    steps.length > 0 ? vscode.l10n.t('What you can do: {0}.', steps.join('; ')) : undefined,
    requestId === undefined ? undefined : vscode.l10n.t('Request ID: {0}', requestId),
  ];
  // VS Code's chat reads Markdown in it.
  return asHostError(error, plainText(words.filter(Boolean).join(' '), maxLength));
}

/** A failure for VS Code's own chat, which shows the user an error's stack along with its words, and knows no kinds. */
export function withoutStack(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof vscode.CancellationError) return error;
  const words = new Error(error.message);
  words.stack = '';
  return words;
}

/** Other extensions tell some kinds apart. */
function asHostError({ kind }: GatewayError, words: string): Error {
  switch (kind) {
    case 'authentication':
      return vscode.LanguageModelError.NoPermissions(words);
    case 'model-unavailable':
      return vscode.LanguageModelError.NotFound(words);
    case 'rate-limited':
    case 'quota':
      return vscode.LanguageModelError.Blocked(words);
    default:
      return new Error(words);
  }
}

/** What to do in VS Code's own chat; undefined for what only our pages can. */
function stepWords(action: FailureAction): string | undefined {
  switch (action) {
    case 'again':
      return vscode.l10n.t('send the message again');
    case 'choose-model':
      return vscode.l10n.t('choose another model in the model picker');
    case 'new-chat':
      return vscode.l10n.t('start a new chat, or leave files out');
    case 'choose-format':
    case 'open-parameters':
    case 'show-field':
    case 'copy-details':
    case 'show-log':
      return undefined;
    case 'open-request':
      return vscode.l10n.t('look at the request in the Requests view');
    case 'open-timeouts':
      return inPalette(vscode.l10n.t('Open Settings'));
    case 'open-proxy':
      return vscode.l10n.t('check the setting “http.proxy”');
    case 'change-address':
      return inPalette(vscode.l10n.t('Manage Gateway…'));
    default:
      return actionCommand(action) === undefined ? undefined : inPalette(actionLabel(action));
  }
}

function inPalette(title: string): string {
  return vscode.l10n.t('run “Model Gateway: {0}” in the Command Palette', title);
}

/** Which tool was refused, or how much they are, where the refusal is about tools. */
function refusalWords(error: GatewayError, tools: readonly HostTool[]): string | undefined {
  const refused = refusedTool(error, tools);
  if (!refused) return undefined;
  const name = plainLine(refused.tool.name, maxNameLength);
  const words = refused.isNamed
    ? vscode.l10n.t('It refuses the tool “{0}”.', name)
    : vscode.l10n.t('{0} tools were sent; the largest is “{1}”.', tools.length, name);
  return `${words} ${vscode.l10n.t('Turn tools off by Configure Tools… in the chat.')}`;
}
