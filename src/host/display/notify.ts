import * as vscode from 'vscode';
import { plainLine, plainText } from './plainText.ts';

// Everything that is told in a notification or a dialog is told here: no link survives in it, whoever wrote the
// words. `npm run lint` refuses VS Code's own functions elsewhere.

export type Severity = 'info' | 'warning' | 'error';

/** In UTF-16 units. VS Code truncates longer messages. */
const maxMessageLength = 1000;
const maxQuestionLength = 500;
const maxDetailLength = 10_000;
const maxButtonLength = 80;

/**
 * Shows a notification.
 *
 * @returns the button that was clicked, undefined without one
 */
export async function notify<B extends string>(
  severity: Severity,
  text: string,
  ...buttons: readonly B[]
): Promise<B | undefined> {
  const labels = buttons.map((button) => plainLine(button, maxButtonLength));
  const chosen = await shower(severity)(plainLine(text, maxMessageLength), ...labels);
  return buttons[labels.indexOf(chosen ?? '')];
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
