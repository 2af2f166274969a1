import * as vscode from 'vscode';
import type { Connection, ConnectionState } from '../connection.ts';
import { commandName, extensionName } from '../contributions.ts';
import { failureMessage } from '../failureMessage.ts';
import { modelCount } from '../modelCount.ts';
import type { Tasks } from '../tasks/tasks.ts';

/** The status bar item: which profile this window uses and how it is doing. Colour only for trouble. */
export class StatusBar {
  readonly #item: vscode.StatusBarItem;
  readonly #tasks: Tasks;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(connection: Connection, tasks: Tasks) {
    this.#tasks = tasks;
    this.#item = vscode.window.createStatusBarItem('modelGateway.status', vscode.StatusBarAlignment.Left, 0);
    this.#item.name = extensionName;
    this.#item.command = commandName('showMenu');
    this.#subscriptions = [
      connection.onDidChange((state) => this.#show(state)),
      tasks.onDidChange(() => this.#show(connection.state)),
    ];
    this.#show(connection.state);
    this.#item.show();
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#item.dispose();
  }

  #show(state: ConnectionState): void {
    const name = state.profile?.name ?? extensionName;
    const icon =
      state.phase === 'loading' ? 'loading~spin' : state.phase === 'failed' ? 'warning' : 'broadcast';
    const running = this.#tasks.running;
    const status = [statusText(state), ...(running > 0 ? [runningText(running)] : [])].join(', ');
    this.#item.text = `$(${icon}) ${name}${running > 0 ? ` $(play-circle) ${running}` : ''}`;
    this.#item.tooltip = `${extensionName}: ${status}`;
    this.#item.backgroundColor =
      state.phase === 'failed' ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    this.#item.accessibilityInformation = { label: `${extensionName}, ${name}, ${status}`, role: 'button' };
  }
}

function runningText(count: number): string {
  return count === 1 ? vscode.l10n.t('1 task is running') : vscode.l10n.t('{0} tasks are running', count);
}

function statusText(state: ConnectionState): string {
  if (state.profile === undefined) return vscode.l10n.t('not connected');
  switch (state.phase) {
    case 'unasked':
      return vscode.l10n.t('{0}, nothing asked yet', state.profile.name);
    case 'loading':
      return vscode.l10n.t('{0}, loading models', state.profile.name);
    case 'ready':
      return `${state.profile.name}, ${modelCount(state.models.length)}`;
    case 'failed':
      return state.error ? failureMessage(state.error).title : state.profile.name;
  }
}
