import type * as vscode from 'vscode';
import { Disposable } from './values.ts';

/** An event that never fires. It does not store its listeners, because VS Code ends some of them with their source. */
export const noEvent: vscode.Event<never> = (_listener, _this, disposables) => {
  const subscription = new Disposable(() => {});
  disposables?.push(subscription);
  return subscription;
};
