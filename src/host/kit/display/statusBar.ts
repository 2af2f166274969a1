import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxTextLength = 200;
const maxTooltipLength = 500;

const messageMs = 5000;

/** Shows a message in the status bar for 5 seconds. */
export function showStatusMessage(text: string, icon?: string): void {
  const plain = plainLine(text, maxTextLength);
  vscode.window.setStatusBarMessage(icon === undefined ? plain : `$(${icon}) ${plain}`, messageMs);
}

/** The content of a status bar item. */
interface StatusBarContent {
  readonly icon: string;
  readonly text: string;
  /** A second icon with its own text. */
  readonly more?: { readonly icon: string; readonly text: string } | undefined;
  readonly tooltip: string;
  /** The text for screen readers. */
  readonly spoken: string;
  readonly isWarning: boolean;
}

/** An item at the left of the status bar that runs a command. */
export class StatusItem {
  readonly #item: vscode.StatusBarItem;

  constructor(id: string, name: string, command: string) {
    this.#item = vscode.window.createStatusBarItem(id, vscode.StatusBarAlignment.Left, 0);
    this.#item.name = name;
    this.#item.command = command;
  }

  show({ icon, text, more, tooltip, spoken, isWarning }: StatusBarContent): void {
    const secondPart = more ? ` $(${more.icon}) ${plainLine(more.text, maxTextLength)}` : '';
    this.#item.text = `$(${icon}) ${plainLine(text, maxTextLength)}${secondPart}`;
    this.#item.tooltip = plainLine(tooltip, maxTooltipLength);
    this.#item.backgroundColor = isWarning
      ? new vscode.ThemeColor('statusBarItem.warningBackground')
      : undefined;
    this.#item.accessibilityInformation = { label: plainLine(spoken, maxTooltipLength), role: 'button' };
    this.#item.show();
  }

  dispose(): void {
    this.#item.dispose();
  }
}
