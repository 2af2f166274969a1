import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxTitleLength = 120;

/** Shows `title` in the status bar until `work` settles. */
export function withStatusBarProgress<T>(title: string, work: () => Promise<T>): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Window, title: plainLine(title, maxTitleLength) };
  return vscode.window.withProgress(options, work);
}

/**
 * Shows `title` in a notification until `work` settles. The Cancel button of the notification aborts the signal.
 * `report` sets the progress, from 0 to 1, and shows a message next to the title.
 */
export function withNotificationProgress<T>(
  title: string,
  work: (signal: AbortSignal, report: (fraction: number, message?: string) => void) => Promise<T>,
): Thenable<T> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: plainLine(title, maxTitleLength),
    cancellable: true,
  };
  return vscode.window.withProgress(options, (progress, token) => {
    let lastPercent = 0;
    const report = (fraction: number, message?: string) => {
      if (message !== undefined) progress.report({ message: plainLine(message, maxTitleLength) });
      const percent = Math.floor(fraction * 100);
      if (percent <= lastPercent) return;
      progress.report({ increment: percent - lastPercent });
      lastPercent = percent;
    };
    return work(toAbortSignal(token), report);
  });
}

/** Creates a signal that is aborted when the token is cancelled. */
export function toAbortSignal(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}

/** The progress bar at the top of a view. */
export class ViewProgress {
  readonly #viewId: string;
  #end: (() => void) | undefined;

  constructor(viewId: string) {
    this.#viewId = viewId;
  }

  /** Shows or hides the bar. */
  show(isBusy: boolean): void {
    if (!isBusy) {
      this.#end?.();
      this.#end = undefined;
      return;
    }
    if (this.#end) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#end = resolve;
    void vscode.window.withProgress({ location: { viewId: this.#viewId } }, () => promise);
  }
}
