import * as vscode from 'vscode';
import { setContextKey } from '../manifest/contributions.ts';
import { notify } from './notify.ts';
import { plainLine } from './plainText.ts';
import {
  type Choice,
  countOpenInput,
  type PickOptions,
  setOpenQuestion,
  type TextOptions,
  toQuickPickItem,
} from './quickInput.ts';

const maxTextLength = 600;
/** The timeout for VS Code to report that the window lost the focus, in milliseconds. */
const focusReportMs = 500;
/** The time in milliseconds for which key presses are captured if another sequence follows. */
const followMs = 300;

/**
 * The time in milliseconds after a question opened in which VS Code may return the focus to a page, for example because
 * the command palette or a notification closes.
 */
const focusReturnMs = 1_000;

/** The position of a question in its sequence. */
export interface StepPosition {
  readonly title: string;
  /** The number of the question, counted from 1. */
  readonly step: number;
  readonly stepCount: number;
}

/** The answer that returns to the previous question. */
export const back = Symbol('back');

/** The user's input for a question; undefined if the user cancelled. */
export type StepAnswer<T> = T | typeof back | undefined;

/** A question. Adds the user's input to the draft. */
export type Step<Draft> = (draft: Draft, position: StepPosition) => Promise<StepAnswer<Draft>>;

/** A sequence of questions for the user. */
interface Questions<Draft> {
  readonly title: string;
  readonly initialDraft: Draft;
  /** Prepares the questions. If the result is false, no question is shown. */
  readonly prepare?: () => Promise<boolean>;
  /** The questions, which may depend on the draft. */
  readonly steps: (draft: Draft) => readonly Step<Draft>[];
  /** The index of the first shown question. The Back button returns to the earlier questions. */
  readonly firstIndex?: number;
  /** Whether another sequence follows directly, so that key presses are captured for it. */
  readonly isFollowed?: boolean;
}

/**
 * Shows one question after another, with a Back button, which preserves the inputs so far. An input that loses the
 * focus closes, because another part of the window would receive the key presses. The user can then continue at the
 * same question. An input that loses the focus directly after it opened is opened again. Before the first question
 * and between two questions, a hidden input captures key presses.
 *
 * @returns undefined if the user cancelled
 */
export async function runSteps<Draft>({
  title,
  initialDraft,
  prepare,
  steps,
  firstIndex = 0,
  isFollowed = false,
}: Questions<Draft>): Promise<Draft | undefined> {
  let draft = initialDraft;
  let isAnswered = false;
  isCancelled = false;
  if (prepare) showWaitingBox(title);
  try {
    if (prepare && !(await prepare())) return undefined;
    for (let index = firstIndex; ; ) {
      const current = steps(draft);
      const step = current[index];
      if (!step) {
        isAnswered = true;
        return draft;
      }
      const answer = await step(draft, { title, step: index + 1, stepCount: current.length });
      if (answer === undefined) return undefined;
      if (answer === back) index -= 1;
      else {
        draft = answer;
        index += 1;
      }
    }
  } finally {
    const box = removeWaitingBox();
    if (isAnswered && isFollowed) setTimeout(() => box?.dispose(), followMs);
    else box?.dispose();
    answeredInput?.dispose();
    answeredInput = undefined;
    setInputShown(false);
  }
}

/** Shows a list before a sequence of questions. The sequence receives all key presses after the choice. */
export function pickBeforeSteps<C extends Choice>(
  choices: readonly C[],
  { title, placeHolder = '' }: PickOptions,
): Promise<C | undefined> {
  const step: Step<C | undefined> = (_, position) => pickStep(position, choices, { placeHolder });
  return runSteps<C | undefined>({ title, initialDraft: undefined, steps: () => [step], isFollowed: true });
}

/** A button of a text box that is an alternative to the typed text. */
interface StepButton<A> {
  readonly icon: string;
  readonly tooltip: string;
  readonly answer: A;
}

/** Shows a text box as a question of a sequence. */
export function requestStepText<A = never>(
  position: StepPosition,
  { problem, button, ...options }: Omit<TextOptions, 'title'> & { readonly button?: StepButton<A> },
): Promise<StepAnswer<string | A>> {
  const earlyText = waitingBox && enteredEarly;
  const box = removeWaitingBox() ?? vscode.window.createInputBox();
  const isMixed = earlyText !== undefined && earlyText !== box.value;
  if (isMixed) box.validationMessage = clearLostKeys(box);
  box.prompt = plainLine(options.prompt, maxTextLength);
  box.placeholder = plainLine(options.placeHolder ?? '', maxTextLength);
  if (box.value === '') {
    box.value = options.value ?? '';
    // The box may be open already.
    box.valueSelection = [0, box.value.length];
  }
  box.password = options.password ?? false;
  box.busy = false;
  const findProblem = (text: string) => {
    const words = problem?.(text);
    return words === undefined ? undefined : plainLine(words, maxTextLength);
  };
  const extraButton = button && { iconPath: new vscode.ThemeIcon(button.icon), tooltip: button.tooltip };
  const listen = (settle: (value: string | A) => void) => {
    const accept = () => {
      const message = answeredInput?.hasLostKeys() ? clearLostKeys(box) : findProblem(box.value);
      if (message === undefined) settle(box.value);
      else box.validationMessage = message;
    };
    if (earlyText !== undefined && !isMixed) queueMicrotask(accept);
    answeredInput?.reportEnter(accept);
    const forgetProblem = () => {
      box.validationMessage = undefined;
    };
    return [
      box.onDidChangeValue(forgetProblem),
      box.onDidAccept(accept),
      box.onDidTriggerButton((pressed) => {
        if (button && pressed === extraButton) settle(button.answer);
      }),
    ];
  };
  return showStep(box, position, listen, extraButton);
}

/**
 * Clears the box, and returns the message about the text that was typed before the box opened. The text may be
 * incomplete, or may contain inputs for two questions.
 */
function clearLostKeys(box: vscode.InputBox): string {
  box.value = '';
  return vscode.l10n.t('The first characters were typed before this box opened. Enter the whole text again.');
}

/** Shows a list as a question of a sequence. */
export function pickStep<C extends Choice>(
  position: StepPosition,
  choices: readonly C[],
  { placeHolder, active }: { readonly placeHolder: string; readonly active?: C | undefined },
): Promise<StepAnswer<C>> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly choice: C }>();
  list.placeholder = plainLine(placeHolder, maxTextLength);
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.items = choices.map((choice) => ({ ...toQuickPickItem(choice), choice }));
  const chosen = list.items.filter(({ choice }) => choice === active);
  if (chosen.length > 0) list.activeItems = chosen;
  return showStep(list, position, (settle) => [
    list.onDidAccept(() => {
      const [item] = list.activeItems;
      if (item) settle(item.choice);
    }),
  ]);
}

/** Closes the open question and cancels the sequence. */
export function closeStep(): void {
  cancelQuestion?.();
}

type StepInput = vscode.InputBox | vscode.QuickPick<never> | vscode.QuickPick<vscode.QuickPickItem>;

let cancelQuestion: (() => void) | undefined;

async function showStep<T>(
  input: StepInput,
  { title, step, stepCount }: StepPosition,
  listen: (settle: (value: T) => void) => readonly vscode.Disposable[],
  button?: vscode.QuickInputButton,
): Promise<StepAnswer<T>> {
  if (isCancelled) {
    input.dispose();
    return undefined;
  }
  const { promise, resolve } = Promise.withResolvers<StepAnswer<T>>();
  let isOpen = true;
  let reportClosed = () => {};
  const end = (answer?: T | typeof back) => {
    isOpen = false;
    // Dispose immediately: key presses for the next question may arrive in the same message.
    for (const listener of listeners) listener.dispose();
    reportClosed();
    resolve(answer);
  };
  const settle = (answer: T | typeof back) => {
    if (!isOpen) return;
    showWaitingBox(title);
    answeredInput?.dispose();
    answeredInput = new AnsweredInput(input);
    end(answer);
  };
  const open = () => {
    const closed = Promise.withResolvers<void>();
    reportClosed = closed.resolve;
    setOpenQuestion(closed.promise);
    hasLeftWindow = false;
    openedAt = performance.now();
    valueAtOpening = input.value;
    cancelQuestion = () => end();
    setInputShown(true);
    input.show();
  };
  let [openedAt, valueAtOpening] = [0, ''];
  /** Whether the next early loss of the focus reopens the input automatically. */
  let canLoseFocus = true;
  let hasLeftWindow = false;
  const reopenOrEnd = async () => {
    if (!isOpen) return;
    reportClosed();
    setInputShown(false);
    const isUnchanged = input.value === valueAtOpening;
    const isEarly = canLoseFocus && isUnchanged && performance.now() - openedAt < focusReturnMs;
    if (!isEarly && !(await confirmResume(title, hasLeftWindow))) return end();
    canLoseFocus = !isEarly;
    open();
  };
  input.title = plainLine(title, maxTextLength);
  input.step = stepCount > 1 ? step : undefined;
  input.totalSteps = stepCount > 1 ? stepCount : undefined;
  input.ignoreFocusOut = false;
  input.buttons = [...(step > 1 ? [vscode.QuickInputButtons.Back] : []), ...(button ? [button] : [])];
  const listeners = [
    input.onDidTriggerButton((pressed) => {
      if (pressed !== button) settle(back);
    }),
    input.onDidHide(() => void reopenOrEnd()),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      hasLeftWindow ||= !focused;
    }),
    ...listen(settle),
  ];
  open();
  removeWaitingBox()?.dispose();
  // An input that was open already may have lost the focus.
  void vscode.commands.executeCommand('workbench.action.focusQuickOpen');
  const answer = await promise;
  if (answeredInput?.input !== input) input.dispose();
  return answer;
}

/**
 * Whether the user continues after the input lost the focus. If the user left the window, for example to copy a key,
 * waits for the return to the window. Otherwise a notification has a button.
 */
async function confirmResume(title: string, hasLeftWindow: boolean): Promise<boolean> {
  // VS Code may report at the same time that the window lost the focus and received it again.
  if (hasLeftWindow || (await waitForFocus(false, focusReportMs))) {
    await waitForFocus(true);
    return true;
  }
  const resume = vscode.l10n.t('Resume');
  const words = vscode.l10n.t(
    '“{0}” was not completed: the input closed when it lost focus. Nothing was sent.',
    title,
  );
  return (await notify('info', words, resume)) === resume;
}

/**
 * @param limitMs the maximum time to wait
 * @returns whether the window received or lost the focus in that time
 */
function waitForFocus(focused: boolean, limitMs?: number): Promise<boolean> {
  if (vscode.window.state.focused === focused) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (isReached: boolean) => {
      listener.dispose();
      clearTimeout(timer);
      resolve(isReached);
    };
    const listener = vscode.window.onDidChangeWindowState((state) => {
      if (state.focused === focused) settle(true);
    });
    const timer = limitMs === undefined ? undefined : setTimeout(settle, limitMs, false);
  });
}

/** The input of the previous question. It may have received key presses for the next question. */
class AnsweredInput implements vscode.Disposable {
  readonly input: StepInput;
  readonly #listeners: readonly vscode.Disposable[];
  readonly #entered = Promise.withResolvers<void>();
  #isLost = false;

  constructor(input: StepInput) {
    this.input = input;
    this.#listeners = [
      input.onDidChangeValue(() => {
        this.#isLost = true;
      }),
      input.onDidAccept(() => {
        if (this.#isLost) this.#entered.resolve();
      }),
    ];
  }

  /** Calls `accept` if the complete input for the next question, including Enter, was typed into this input. */
  reportEnter(accept: () => void): void {
    void this.#entered.promise.then(accept);
  }

  /** Whether key presses were lost since the last call. */
  hasLostKeys(): boolean {
    const lost = this.#isLost;
    this.#isLost = false;
    return lost;
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
    this.input.dispose();
  }
}

let answeredInput: AnsweredInput | undefined;

let isInputShown = false;

function setInputShown(shown: boolean): void {
  if (isInputShown === shown) return;
  isInputShown = shown;
  countOpenInput(shown ? 1 : -1);
  setContextKey('inputOpen', shown);
}

/** A hidden box that captures key presses before a question. It becomes the next text box, with the typed text. */
let waitingBox: vscode.InputBox | undefined;

/** The text of the waiting box when Enter was pressed there. */
let enteredEarly: string | undefined;

/** Whether the user cancelled while no question was open. */
let isCancelled = false;

function removeWaitingBox(): vscode.InputBox | undefined {
  const box = waitingBox;
  waitingBox = undefined;
  return box;
}

function showWaitingBox(title: string): void {
  removeWaitingBox()?.dispose();
  const box = vscode.window.createInputBox();
  box.title = plainLine(title, maxTextLength);
  box.password = true;
  box.busy = true;
  // A dialog before a question takes the focus and then returns it.
  box.ignoreFocusOut = true;
  box.onDidAccept(() => {
    enteredEarly ??= box.value;
  });
  waitingBox = box;
  enteredEarly = undefined;
  isCancelled = false;
  cancelQuestion = () => {
    isCancelled = true;
    box.hide();
  };
  setInputShown(true);
  box.show();
}
