import * as vscode from 'vscode';
import { setContextKey } from '../manifest/contributions.ts';
import { notify } from './notify.ts';
import { plainLine } from './plainText.ts';
import {
  type Choice,
  countInput,
  noteQuestion,
  type PickOptions,
  shownChoice,
  type TextOptions,
} from './prompts.ts';

const maxTextLength = 600;
/** How long VS Code may take to report that the window lost the focus, in milliseconds. */
const focusReportMs = 500;
/** How long the keys are kept for questions that follow at once, in milliseconds. */
const followMs = 300;

/** In which the palette may give the focus back to a page after a question opened, in milliseconds. */
const focusReturnMs = 1_000;

/** The position of a question among those of one task. */
export interface StepPlace {
  readonly title: string;
  /** From 1 on. */
  readonly step: number;
  readonly of: number;
}

/** Leads to the previous question. */
export const back = Symbol('back');

/** The answer to a question; undefined when the user gave up. */
export type StepAnswer<T> = T | typeof back | undefined;

/** One question, which adds its answer to the draft. */
export type Step<Draft> = (draft: Draft, place: StepPlace) => Promise<StepAnswer<Draft>>;

/** Questions that are asked one after another. */
export interface Questions<Draft> {
  readonly title: string;
  readonly first: Draft;
  /** Prepares the questions; false to ask none. */
  readonly prepare?: () => Promise<boolean>;
  /** The questions, which may depend on the draft. */
  readonly steps: (draft: Draft) => readonly Step<Draft>[];
  /** Index of the first question; the Back button leads to those before it. */
  readonly begin?: number;
  /** Whether other questions in steps follow at once, for which the keys are kept. */
  readonly isFollowed?: boolean;
}

/**
 * Asks one question after another, with a button that leads back. Answers given before going back are kept. An input
 * that loses the focus closes, because keys would reach another part of the window while it is on the screen; the user
 * can go on where it closed. One that loses it at once opens again. Before the first question and between two, another input takes the keys.
 *
 * @returns undefined when the user gave up
 */
export async function askInSteps<Draft>({
  title,
  first,
  prepare,
  steps,
  begin = 0,
  isFollowed = false,
}: Questions<Draft>): Promise<Draft | undefined> {
  let draft = first;
  let isAnswered = false;
  isGivenUp = false;
  if (prepare) showWaitingBox(title);
  try {
    if (prepare && !(await prepare())) return undefined;
    for (let at = begin; ; ) {
      const all = steps(draft);
      const step = all[at];
      if (!step) {
        isAnswered = true;
        return draft;
      }
      const answer = await step(draft, { title, step: at + 1, of: all.length });
      if (answer === undefined) return undefined;
      if (answer === back) at -= 1;
      else {
        draft = answer;
        at += 1;
      }
    }
  } finally {
    const box = takeWaitingBox();
    if (isAnswered && isFollowed) setTimeout(() => box?.dispose(), followMs);
    else box?.dispose();
    answered?.dispose();
    answered = undefined;
    showsInput(false);
  }
}

/** Shows a list to choose from before other questions in steps, which then get all keys that follow the choice. */
export function pickBeforeSteps<C extends Choice>(
  choices: readonly C[],
  { title, placeHolder = '' }: PickOptions,
): Promise<C | undefined> {
  const step: Step<C | undefined> = (_, place) => pickStep(place, choices, { placeHolder });
  return askInSteps<C | undefined>({ title, first: undefined, steps: () => [step], isFollowed: true });
}

/** Asks for a text as one of several questions. */
export function askStepText(
  place: StepPlace,
  { problem, ...options }: Omit<TextOptions, 'title'>,
): Promise<StepAnswer<string>> {
  const early = waitingBox && enteredEarly;
  const box = takeWaitingBox() ?? vscode.window.createInputBox();
  const isMixed = early !== undefined && early !== box.value;
  if (isMixed) box.validationMessage = lostKeys(box);
  box.prompt = plainLine(options.prompt, maxTextLength);
  box.placeholder = plainLine(options.placeHolder ?? '', maxTextLength);
  if (box.value === '') {
    box.value = options.value ?? '';
    // The box may be on the screen already.
    box.valueSelection = [0, box.value.length];
  }
  box.password = options.password ?? false;
  box.busy = false;
  const wrong = (text: string) => {
    const found = problem?.(text);
    return found === undefined ? undefined : plainLine(found, maxTextLength);
  };
  return answerOf(box, place, (settle) => {
    const accept = () => {
      const found = answered?.hasLostKeys() ? lostKeys(box) : wrong(box.value);
      if (found === undefined) settle(box.value);
      else box.validationMessage = found;
    };
    if (early !== undefined && !isMixed) queueMicrotask(accept);
    answered?.reportEnter(accept);
    const forgetProblem = () => {
      box.validationMessage = undefined;
    };
    return [box.onDidChangeValue(forgetProblem), box.onDidAccept(accept)];
  });
}

/** Text typed before the box opened may be incomplete, or hold answers to two questions. */
function lostKeys(box: vscode.InputBox): string {
  box.value = '';
  return vscode.l10n.t('The first characters were typed before this box was open. Enter all of it again.');
}

/** Shows a list to choose from as one of several questions. */
export function pickStep<C extends Choice>(
  place: StepPlace,
  choices: readonly C[],
  { placeHolder, active }: { readonly placeHolder: string; readonly active?: C | undefined },
): Promise<StepAnswer<C>> {
  const list = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly choice: C }>();
  list.placeholder = plainLine(placeHolder, maxTextLength);
  list.matchOnDescription = true;
  list.matchOnDetail = true;
  list.items = choices.map((choice) => ({ ...shownChoice(choice), choice }));
  const chosen = list.items.filter(({ choice }) => choice === active);
  if (chosen.length > 0) list.activeItems = chosen;
  return answerOf(list, place, (settle) => [
    list.onDidAccept(() => {
      const [item] = list.activeItems;
      if (item) settle(item.choice);
    }),
  ]);
}

/** Closes the open question: the user gives up. */
export function closeStep(): void {
  giveUp?.();
}

type StepInput = vscode.InputBox | vscode.QuickPick<never> | vscode.QuickPick<vscode.QuickPickItem>;

let giveUp: (() => void) | undefined;

async function answerOf<T>(
  input: StepInput,
  { title, step, of }: StepPlace,
  listen: (settle: (value: T) => void) => readonly vscode.Disposable[],
): Promise<StepAnswer<T>> {
  if (isGivenUp) {
    input.dispose();
    return undefined;
  }
  const { promise, resolve } = Promise.withResolvers<StepAnswer<T>>();
  let isOpen = true;
  let leavesScreen = () => {};
  const end = (answer?: T | typeof back) => {
    isOpen = false;
    // At once: keys for the next question may arrive in the same message as this answer.
    for (const listener of listeners) listener.dispose();
    leavesScreen();
    resolve(answer);
  };
  const settle = (answer: T | typeof back) => {
    if (!isOpen) return;
    showWaitingBox(title);
    answered?.dispose();
    answered = new AnsweredInput(input);
    end(answer);
  };
  const open = () => {
    const closed = Promise.withResolvers<void>();
    leavesScreen = closed.resolve;
    noteQuestion(closed.promise);
    leftWindow = false;
    giveUp = () => end();
    showsInput(true);
    input.show();
  };
  const { value: initial } = input;
  const openedAt = performance.now();
  let lostFocus = false;
  let leftWindow = false;
  const reopenOrEnd = async () => {
    if (!isOpen) return;
    leavesScreen();
    showsInput(false);
    const isEarly = !lostFocus && input.value === initial && performance.now() - openedAt < focusReturnMs;
    lostFocus = true;
    if (isEarly || (await goesOn(title, leftWindow))) open();
    else end();
  };
  input.title = plainLine(title, maxTextLength);
  input.step = of > 1 ? step : undefined;
  input.totalSteps = of > 1 ? of : undefined;
  input.ignoreFocusOut = false;
  input.buttons = step > 1 ? [vscode.QuickInputButtons.Back] : [];
  const listeners = [
    input.onDidTriggerButton(() => settle(back)),
    input.onDidHide(() => void reopenOrEnd()),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      leftWindow ||= !focused;
    }),
    ...listen(settle),
  ];
  open();
  takeWaitingBox()?.dispose();
  // An input that is on the screen already may have lost the focus.
  void vscode.commands.executeCommand('workbench.action.focusQuickOpen');
  const answer = await promise;
  if (answered?.input !== input) input.dispose();
  return answer;
}

/**
 * Whether the user goes on after something else took the focus: at once on coming back to the window, for instance
 * with a key copied elsewhere; within the window, by a button.
 */
async function goesOn(title: string, leftWindow: boolean): Promise<boolean> {
  if (leftWindow || (await leavesWindow())) {
    await untilFocused(true);
    return true;
  }
  const goOn = vscode.l10n.t('Go On');
  const words = vscode.l10n.t(
    '“{0}” is not finished: its input closed when the focus moved elsewhere. Nothing was sent.',
    title,
  );
  return (await notify('info', words, goOn)) === goOn;
}

async function leavesWindow(): Promise<boolean> {
  await untilFocused(false, focusReportMs);
  return !vscode.window.state.focused;
}

/** @param limitMs when to stop waiting */
function untilFocused(focused: boolean, limitMs?: number): Promise<void> {
  if (vscode.window.state.focused === focused) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      listener.dispose();
      clearTimeout(timer);
      resolve();
    };
    const listener = vscode.window.onDidChangeWindowState((state) => {
      if (state.focused === focused) settle();
    });
    const timer = limitMs === undefined ? undefined : setTimeout(settle, limitMs);
  });
}

/** The input of the previous question, which may have received keys meant for the next one. */
class AnsweredInput implements vscode.Disposable {
  readonly input: StepInput;
  readonly #listeners: readonly vscode.Disposable[];
  readonly #entered = Promise.withResolvers<void>();
  #lost = false;

  constructor(input: StepInput) {
    this.input = input;
    this.#listeners = [
      input.onDidChangeValue(() => {
        this.#lost = true;
      }),
      input.onDidAccept(() => {
        if (this.#lost) this.#entered.resolve();
      }),
    ];
  }

  /** Calls `accept` when a whole answer to the next question, with its Enter, was typed into this input. */
  reportEnter(accept: () => void): void {
    void this.#entered.promise.then(accept);
  }

  /** Reports lost keys once. */
  hasLostKeys(): boolean {
    const lost = this.#lost;
    this.#lost = false;
    return lost;
  }

  dispose(): void {
    for (const listener of this.#listeners) listener.dispose();
    this.input.dispose();
  }
}

let answered: AnsweredInput | undefined;

let isShown = false;

function showsInput(is: boolean): void {
  if (isShown === is) return;
  isShown = is;
  countInput(is ? 1 : -1);
  setContextKey('inputOpen', is);
}

/** Takes the keys before a question, hidden, and becomes the next text box with the typed text. */
let waitingBox: vscode.InputBox | undefined;

/** The text of the waiting box when Enter was pressed there. */
let enteredEarly: string | undefined;

/** Whether the user gave up while no question was open. */
let isGivenUp = false;

function takeWaitingBox(): vscode.InputBox | undefined {
  const box = waitingBox;
  waitingBox = undefined;
  return box;
}

function showWaitingBox(title: string): void {
  takeWaitingBox()?.dispose();
  const box = vscode.window.createInputBox();
  box.title = plainLine(title, maxTextLength);
  box.password = true;
  box.busy = true;
  // A dialog before a question takes the focus, and gives it back.
  box.ignoreFocusOut = true;
  box.onDidAccept(() => {
    enteredEarly ??= box.value;
  });
  waitingBox = box;
  enteredEarly = undefined;
  isGivenUp = false;
  giveUp = () => {
    isGivenUp = true;
    box.hide();
  };
  showsInput(true);
  box.show();
}
