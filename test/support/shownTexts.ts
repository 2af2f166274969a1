import * as vscode from 'vscode';

/** A text that was shown to the user, and the kind of display. */
export interface ShownText {
  readonly sink: string;
  readonly text: string;
}

export interface ShownTexts {
  readonly all: readonly ShownText[];
  /** Notes a text that a test read itself. */
  note(sink: string, value: unknown): void;
  /** Restores VS Code's own functions. */
  restore(): void;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/**
 * Records all texts that are shown from now on: in notifications, dialogs, lists, progress, the status bar,
 * messages to pages and the clipboard. Responds to a notification with the first of `answers` that is one of its
 * buttons.
 */
export function recordShownTexts(answers: readonly string[]): ShownTexts {
  const all: ShownText[] = [];
  const note = (sink: string, value: unknown) => {
    all.push({ sink, text: typeof value === 'string' ? value : (JSON.stringify(value) ?? '') });
  };
  const window = vscode.window as Mutable<typeof vscode.window>;
  const {
    showInformationMessage,
    showWarningMessage,
    showErrorMessage,
    showQuickPick,
    setStatusBarMessage,
    withProgress,
    createWebviewPanel,
  } = vscode.window;
  const own = {
    showInformationMessage,
    showWarningMessage,
    showErrorMessage,
    showQuickPick,
    setStatusBarMessage,
    withProgress,
    createWebviewPanel,
  };
  const createResponder = (sink: string) =>
    (async (message: string, ...rest: readonly unknown[]) => {
      note(sink, [message, ...rest]);
      return answers.find((each) => rest.includes(each));
    }) as never;
  Object.assign(window, {
    showInformationMessage: createResponder('notification'),
    showWarningMessage: createResponder('notification'),
    showErrorMessage: createResponder('notification'),
    showQuickPick: async (items: PromiseLike<readonly vscode.QuickPickItem[]>, options: unknown) => {
      const choices = await items;
      note('list of choices', [choices, options]);
      return choices.find(({ label }) => answers.includes(label)) ?? choices[0];
    },
    setStatusBarMessage: ((text: string, ms: number) => {
      note('status bar', text);
      return own.setStatusBarMessage(text, ms);
    }) as typeof own.setStatusBarMessage,
    withProgress: ((options: vscode.ProgressOptions, task: Parameters<typeof own.withProgress>[1]) =>
      own.withProgress(options, (progress, token) => {
        note('progress', options);
        const report = (step: object) => {
          note('progress', step);
          progress.report(step);
        };
        return task({ report }, token);
      })) as typeof own.withProgress,
    createWebviewPanel: ((...options: Parameters<typeof own.createWebviewPanel>) => {
      const panel = own.createWebviewPanel(...options);
      const post = panel.webview.postMessage.bind(panel.webview);
      panel.webview.postMessage = (message) => {
        note('message to a page', message);
        return post(message);
      };
      return panel;
    }) as typeof own.createWebviewPanel,
  });
  const clipboard = Object.getOwnPropertyDescriptor(vscode.env, 'clipboard') ?? {};
  const writeText = async (text: string) => note('clipboard', text);
  Object.defineProperty(vscode.env, 'clipboard', { ...clipboard, get: () => ({ writeText }) });
  const restore = () => {
    Object.assign(window, own);
    Object.defineProperty(vscode.env, 'clipboard', clipboard);
  };
  return { all, note, restore };
}
