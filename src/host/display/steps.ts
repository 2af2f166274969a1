import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';
import { type Choice, shownChoice, type TextOptions } from './prompts.ts';

const maxTextLength = 600;

/** Where a question stands among those of one task. */
export interface StepPlace {
  readonly title: string;
  /** From 1 on. */
  readonly step: number;
  readonly of: number;
}

/** The user wants the question before. */
export const back = Symbol('back');

/** The answer to a question; undefined when the user gave up. */
export type StepAnswer<T> = T | typeof back | undefined;

/** A question of several, which changes what is known so far. */
export type Step<Draft> = (draft: Draft, place: StepPlace) => Promise<StepAnswer<Draft>>;

/**
 * Asks one question after another, with a button that leads back. What was said before going back stays.
 *
 * @param steps the questions, which may depend on what was said
 * @param begin which of them comes first, from 0 on; those before it are reached by going back
 * @returns undefined when the user gave up
 */
export async function askInSteps<Draft>(
  title: string,
  first: Draft,
  steps: (draft: Draft) => readonly Step<Draft>[],
  begin = 0,
): Promise<Draft | undefined> {
  let draft = first;
  for (let at = begin; ; ) {
    const all = steps(draft);
    const step = all[at];
    if (!step) return draft;
    const answer = await step(draft, { title, step: at + 1, of: all.length });
    if (answer === undefined) return undefined;
    if (answer === back) at -= 1;
    else {
      draft = answer;
      at += 1;
    }
  }
}

/** Asks for a text as one of several questions. */
export function askStepText(
  place: StepPlace,
  { problem, ...options }: Omit<TextOptions, 'title' | 'ignoreFocusOut'>,
): Promise<StepAnswer<string>> {
  const box = vscode.window.createInputBox();
  box.prompt = plainLine(options.prompt, maxTextLength);
  box.placeholder = plainLine(options.placeHolder ?? '', maxTextLength);
  box.value = options.value ?? '';
  box.password = options.password ?? false;
  const wrong = (text: string) => {
    const found = problem?.(text);
    return found === undefined ? undefined : plainLine(found, maxTextLength);
  };
  box.onDidChangeValue(() => {
    box.validationMessage = undefined;
  });
  return answerOf(box, place, (settle) => {
    box.onDidAccept(() => {
      const found = wrong(box.value);
      if (found === undefined) settle(box.value);
      else box.validationMessage = found;
    });
  });
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
  return answerOf(list, place, (settle) => {
    list.onDidAccept(() => {
      const [item] = list.activeItems;
      if (item) settle(item.choice);
    });
  });
}

async function answerOf<T>(
  input: vscode.InputBox | vscode.QuickPick<never> | vscode.QuickPick<vscode.QuickPickItem & { choice: T }>,
  { title, step, of }: StepPlace,
  listen: (settle: (value: T) => void) => void,
): Promise<StepAnswer<T>> {
  const { promise, resolve } = Promise.withResolvers<StepAnswer<T>>();
  input.title = plainLine(title, maxTextLength);
  input.step = step;
  input.totalSteps = of;
  input.ignoreFocusOut = true;
  if (step > 1) input.buttons = [vscode.QuickInputButtons.Back];
  input.onDidTriggerButton(() => resolve(back));
  input.onDidHide(() => resolve(undefined));
  listen(resolve);
  input.show();
  try {
    return await promise;
  } finally {
    input.dispose();
  }
}
