import * as vscode from 'vscode';
import { plainLine } from './plainText.ts';

const maxTitleLength = 120;

/** Says in the status bar what is being done until it is done. */
export function showingInStatusBar<T>(title: string, work: () => Promise<T>): Thenable<T> {
  const options = { location: vscode.ProgressLocation.Window, title: plainLine(title, maxTitleLength) };
  return vscode.window.withProgress(options, work);
}

/** Says in a notification what is being done; its Cancel button aborts the signal. */
export function showingInNotification<T>(
  title: string,
  work: (signal: AbortSignal) => Promise<T>,
): Thenable<T> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: plainLine(title, maxTitleLength),
    cancellable: true,
  };
  return vscode.window.withProgress(options, (_, token) => {
    const controller = new AbortController();
    token.onCancellationRequested(() => controller.abort());
    return work(controller.signal);
  });
}

/** Shows a bar at the top of a view until the work is done. */
export function showingInView(viewId: string, work: () => Promise<void>): void {
  void vscode.window.withProgress({ location: { viewId } }, work);
}
