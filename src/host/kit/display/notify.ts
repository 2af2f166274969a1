import * as vscode from 'vscode';
import { plainLine, plainText } from './plainText.ts';
import { pick, questionClosed } from './prompts.ts';

// Everything that is told in a notification or a dialog is told here: no link survives in it, whoever wrote the
// words. `npm run lint` refuses VS Code's own functions elsewhere.

export type Severity = 'info' | 'warning' | 'error';

/** In UTF-16 units. VS Code truncates longer messages. */
const maxMessageLength = 1000;
const maxQuestionLength = 500;
const maxDetailLength = 10_000;
const maxButtonLength = 80;
/** VS Code cuts the words of more. */
const maxButtons = 3;

/**
 * Shows a notification. Of more than three buttons the first two are seen, and the others are listed behind a third.
 *
 * @param buttons the most important ones first
 * @returns the button that was clicked, undefined without one
 */
export async function notify<B extends string>(
  severity: Severity,
  text: string,
  ...buttons: readonly B[]
): Promise<B | undefined> {
  const labels = buttons.map((button) => plainLine(button, maxButtonLength));
  const seen = labels.length > maxButtons ? labels.slice(0, maxButtons - 1) : labels;
  const more = vscode.l10n.t('More…');
  const shown = labels.length > maxButtons ? [...seen, more] : seen;
  const chosen = await shower(severity)(plainLine(text, maxMessageLength), ...shown);
  if (shown.length > seen.length && chosen === more) return pickButton(text, buttons.slice(seen.length));
  return buttons[labels.indexOf(chosen ?? '')];
}

async function pickButton<B extends string>(text: string, buttons: readonly B[]): Promise<B | undefined> {
  const choices = buttons.map((button) => ({ label: plainLine(button, maxButtonLength), button }));
  return (await pick(choices, { title: text }))?.button;
}

/**
 * Asks in a modal dialog, before something that cannot be undone or may cost.
 *
 * @returns the button that was clicked, undefined when the user cancels
 */
export async function confirm<B extends string>(
  question: string,
  detail: string,
  ...buttons: readonly B[]
): Promise<B | undefined> {
  const labels = buttons.map((button) => plainLine(button, maxButtonLength));
  await questionClosed();
  const chosen = await vscode.window.showWarningMessage(
    plainLine(question, maxQuestionLength),
    { modal: true, detail: plainText(detail, maxDetailLength) },
    ...labels,
  );
  return buttons[labels.indexOf(chosen ?? '')];
}

function shower(severity: Severity): (text: string, ...buttons: string[]) => Thenable<string | undefined> {
  switch (severity) {
    case 'info':
      return vscode.window.showInformationMessage;
    case 'warning':
      return vscode.window.showWarningMessage;
    case 'error':
      return vscode.window.showErrorMessage;
  }
}
