import * as vscode from 'vscode';
import { plainLine, plainText } from './plainText.ts';
import { pick, waitForOpenQuestion } from './quickInput.ts';

// Only these functions show notifications and dialogs, so that links are removed from all texts. The linter rejects
// VS Code's own functions in other files.

type Severity = 'info' | 'warning' | 'error';

/** The maximum lengths of texts, in UTF-16 units. VS Code truncates longer messages. */
const maxMessageLength = 1000;
const maxQuestionLength = 500;
const maxDetailLength = 10_000;
const maxButtonLength = 80;
/** The maximum number of buttons. VS Code truncates the labels of more buttons. */
const maxButtons = 3;

/**
 * Shows a notification. If there are more than three buttons, the first two are shown, and a third button opens a list
 * of the others.
 *
 * @param buttons the labels of the buttons, the most important button first
 * @returns the clicked button; undefined if no button was clicked
 */
export async function notify<B extends string>(
  severity: Severity,
  text: string,
  ...buttons: readonly B[]
): Promise<B | undefined> {
  const labels = buttons.map((button) => plainLine(button, maxButtonLength));
  const directLabels = labels.length > maxButtons ? labels.slice(0, maxButtons - 1) : labels;
  const more = vscode.l10n.t('More…');
  const shownLabels = labels.length > maxButtons ? [...directLabels, more] : directLabels;
  const chosen = await findMessageFunction(severity)(plainLine(text, maxMessageLength), ...shownLabels);
  if (shownLabels.length > directLabels.length && chosen === more)
    return pickButton(text, buttons.slice(directLabels.length));
  return buttons[labels.indexOf(chosen ?? '')];
}

async function pickButton<B extends string>(text: string, buttons: readonly B[]): Promise<B | undefined> {
  const choices = buttons.map((button) => ({ label: plainLine(button, maxButtonLength), button }));
  return (await pick(choices, { title: text }))?.button;
}

/**
 * Shows a modal dialog before an action that cannot be undone or may cost money.
 *
 * @returns the clicked button; undefined if the user cancels
 */
export async function confirm<B extends string>(
  question: string,
  detail: string,
  ...buttons: readonly B[]
): Promise<B | undefined> {
  const labels = buttons.map((button) => plainLine(button, maxButtonLength));
  await waitForOpenQuestion();
  const chosen = await vscode.window.showWarningMessage(
    plainLine(question, maxQuestionLength),
    { modal: true, detail: plainText(detail, maxDetailLength) },
    ...labels,
  );
  return buttons[labels.indexOf(chosen ?? '')];
}

function findMessageFunction(
  severity: Severity,
): (text: string, ...buttons: string[]) => Thenable<string | undefined> {
  switch (severity) {
    case 'info':
      return vscode.window.showInformationMessage;
    case 'warning':
      return vscode.window.showWarningMessage;
    case 'error':
      return vscode.window.showErrorMessage;
  }
}
