import type * as vscode from 'vscode';
import { LastEditor } from './display/lastEditor.ts';
import { Log } from './log.ts';
import { UsedViews } from './usedViews.ts';

/** The services of every feature. */
export interface KitServices {
  readonly log: Log;
  /** State that all windows of this machine share. */
  readonly memory: vscode.Memento;
  readonly editor: LastEditor;
  readonly usedViews: UsedViews;
}

/** Registers a service that VS Code disposes with the extension, in the order of registration. */
export function own<Service extends vscode.Disposable>(
  { subscriptions }: vscode.ExtensionContext,
  service: Service,
): Service {
  subscriptions.push(service);
  return service;
}

export function createKitServices(context: vscode.ExtensionContext): KitServices {
  return {
    log: own(context, new Log()),
    memory: context.globalState,
    editor: own(context, new LastEditor()),
    usedViews: new UsedViews(context.globalState),
  };
}
