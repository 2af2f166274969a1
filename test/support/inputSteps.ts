import * as vscode from 'vscode';

/** A step of a multi-step input, as the user saw it. */
export interface ShownStep {
  readonly title: string;
  readonly step: number;
  readonly total: number;
  /** The initial text of the box. */
  readonly value: string;
  readonly labels: readonly string[];
  readonly password: boolean;
  /** The validation message of the input, which is then closed. */
  readonly problem: string | undefined;
}

/** Goes back to the previous step. */
export const goBack = Symbol('goBack');

/** Presses the button of the input that is not Back. */
export const pressButton = Symbol('pressButton');

type InputStep = string | typeof goBack | typeof pressButton;

/**
 * Answers the steps of a multi-step input while `act` runs, one after another: with a text, or the label of a row.
 * Further steps are closed.
 */
export async function answerSteps(
  answers: readonly InputStep[],
  act: () => PromiseLike<unknown>,
): Promise<readonly ShownStep[]> {
  const seen: ShownStep[] = [];
  const remaining = [...answers];
  const { createInputBox, createQuickPick } = vscode.window;
  const createInput = () => createTestInput(remaining, seen);
  Object.assign(vscode.window, { createInputBox: createInput, createQuickPick: createInput });
  try {
    await act();
  } finally {
    Object.assign(vscode.window, { createInputBox, createQuickPick });
  }
  return seen;
}

/** Creates an input that answers itself. It does not simulate how VS Code moves the focus. */
export function createTestInput(
  remaining: InputStep[],
  seen: Pick<ShownStep, 'title' | 'value' | 'problem'>[],
) {
  const [accepted, hidden, pressed, changed] = [0, 1, 2, 3].map(() => new vscode.EventEmitter<unknown>());
  const input = {
    title: '',
    step: 0,
    totalSteps: 0,
    value: '',
    password: false,
    prompt: '',
    placeholder: '',
    items: [] as vscode.QuickPickItem[],
    activeItems: [] as vscode.QuickPickItem[],
    buttons: [] as vscode.QuickInputButton[],
    validationMessage: undefined as string | undefined,
    onDidAccept: accepted?.event,
    onDidHide: hidden?.event,
    onDidTriggerButton: pressed?.event,
    onDidChangeValue: changed?.event,
    busy: false,
    hide: () => {},
    show() {
      // A busy input only receives the keys between two steps.
      if (input.busy) return;
      const answer = remaining.shift();
      const { title, step, totalSteps: total, value, password } = input;
      const labels = input.items.map(({ label }) => label);
      if (answer === goBack) pressed?.fire(vscode.QuickInputButtons.Back);
      else if (answer === pressButton) pressed?.fire(input.buttons.at(-1));
      else if (answer !== undefined) {
        input.value = answer;
        input.activeItems = input.items.filter(({ label }) => label === answer);
        accepted?.fire(undefined);
      }
      const problem = input.validationMessage;
      if (answer === undefined || problem !== undefined)
        void vscode.commands.executeCommand('modelGateway.closeInput');
      const shown: ShownStep = { title, step, total, value, labels, password, problem };
      seen.push(shown);
    },
    dispose() {},
  };
  return input;
}
