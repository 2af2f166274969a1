// Quick picks and input boxes, which a test can open and close but not answer.
import type * as vscode from 'vscode';
import { noEvent } from './noEvent.ts';
import { EventEmitter } from './values.ts';

let shownInput: Input | undefined;

/** A quick pick or an input box. Only one is shown at a time, as in VS Code. */
export class Input {
  title: string | undefined;
  step: number | undefined;
  totalSteps: number | undefined;
  value = '';
  prompt = '';
  placeholder = '';
  password = false;
  enabled = true;
  busy = false;
  ignoreFocusOut = false;
  canSelectMany = false;
  matchOnDescription = false;
  matchOnDetail = false;
  keepScrollPosition = false;
  validationMessage: string | undefined;
  buttons: readonly vscode.QuickInputButton[] = [];
  items: readonly vscode.QuickPickItem[] = [];
  activeItems: readonly vscode.QuickPickItem[] = [];
  selectedItems: readonly vscode.QuickPickItem[] = [];
  readonly onDidAccept = noEvent;
  readonly onDidChangeValue = noEvent;
  readonly onDidChangeActive = noEvent;
  readonly onDidChangeSelection = noEvent;
  readonly onDidTriggerButton = noEvent;
  readonly onDidTriggerItemButton = noEvent;
  readonly #hidden = new EventEmitter<void>();
  readonly onDidHide = this.#hidden.event;
  #isShown = false;

  show(): void {
    if (shownInput !== this) shownInput?.hide();
    shownInput = this;
    this.#isShown = true;
  }

  hide(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    if (shownInput === this) shownInput = undefined;
    this.#hidden.fire();
  }

  dispose(): void {
    this.hide();
  }
}

/** Hides the shown input. */
export function hideInput(): void {
  shownInput?.hide();
}

/** Shows an input, and returns undefined when it closes. */
export function showUnanswered(): Promise<undefined> {
  const input = new Input();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  input.onDidHide(() => resolve(undefined));
  input.show();
  return promise;
}
