import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxLabelLength = 300;
const maxTextLength = 600;

/** A row to pick. An icon is named, never written into the label. */
export interface Choice {
  readonly label: string;
  readonly icon?: string;
  readonly description?: string;
  readonly detail?: string;
}

export interface PickOptions {
  readonly title: string;
  readonly placeHolder?: string;
  readonly ignoreFocusOut?: boolean;
}

/** Asks for one of several; typing finds by every word that is shown. Undefined when the user cancels. */
export async function pick<C extends Choice>(
  choices: readonly C[] | Promise<readonly C[]>,
  options: PickOptions,
): Promise<C | undefined> {
  const rows = Promise.resolve(choices).then((all) => all.map((choice) => ({ ...shown(choice), choice })));
  const picked = await vscode.window.showQuickPick(rows, {
    ...options,
    title: plainLine(options.title, maxTextLength),
    ...(options.placeHolder !== undefined && { placeHolder: plainLine(options.placeHolder, maxTextLength) }),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.choice;
}

export interface TextOptions {
  readonly title: string;
  readonly prompt: string;
  readonly placeHolder?: string | undefined;
  readonly value?: string | undefined;
  /** Hides what is typed. */
  readonly password?: boolean;
  readonly ignoreFocusOut?: boolean;
  /** What is wrong with a text; undefined for one that can be taken. */
  readonly problem?: (text: string) => string | undefined;
}

/** Asks for a text. Undefined when the user cancels. */
export async function askText({ problem, ...options }: TextOptions): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    ...options,
    title: plainLine(options.title, maxTextLength),
    prompt: plainLine(options.prompt, maxTextLength),
    placeHolder:
      options.placeHolder === undefined ? undefined : plainLine(options.placeHolder, maxTextLength),
    validateInput: (text) => {
      const wrong = problem?.(text);
      return wrong === undefined ? undefined : plainLine(wrong, maxTextLength);
    },
  });
}

function shown({ label, icon, description, detail }: Choice): vscode.QuickPickItem {
  const plain = plainLine(label, maxLabelLength);
  return {
    label: icon === undefined ? plain : `$(${icon}) ${plain}`,
    ...(description && { description: plainLine(description, maxLabelLength) }),
    ...(detail && { detail: plainLine(detail, maxTextLength) }),
  };
}
