import * as vscode from 'vscode';
import type { TaskService } from '../../tasks/taskService.ts';
import type { Connection, ConnectionState } from '../connection/connection.ts';
import { describeOutage, failureMessage, formatShortFailure } from '../connection/failureMessage.ts';
import { formatModelCount, formatRunningTasks } from '../kit/countWords.ts';
import { joinFacts } from '../kit/display/joinNames.ts';
import { StatusItem } from '../kit/display/statusBar.ts';
import { commandName, extensionName } from '../kit/manifest/contributions.ts';

/** The status bar item with the window's gateway and its state. It has a colour only if the gateway has a problem. */
export class GatewayStatusItem {
  readonly #item = new StatusItem('modelGateway.status', extensionName, commandName('showMenu'));
  readonly #tasks: TaskService;
  readonly #subscriptions: readonly vscode.Disposable[];

  constructor(connection: Connection, tasks: TaskService) {
    this.#tasks = tasks;
    this.#subscriptions = [
      connection.onDidChange((state) => this.#show(state)),
      tasks.onDidChange(() => this.#show(connection.state)),
    ];
    this.#show(connection.state);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#item.dispose();
  }

  #show(state: ConnectionState): void {
    const problem = describeProblem(state);
    const name = state.gateway?.name ?? extensionName;
    const { runningCount } = this.#tasks;
    const status = [
      problem?.status ?? describeStatus(state),
      ...(runningCount > 0 ? [formatRunningTasks(runningCount)] : []),
    ];
    this.#item.show({
      icon:
        state.phase === 'loading'
          ? 'loading~spin'
          : (problem?.icon ?? (state.phase === 'stopped' ? 'circle-slash' : 'broadcast')),
      text: problem ? `${name}: ${problem.short}` : name,
      more: runningCount > 0 ? { icon: 'play-circle', text: String(runningCount) } : undefined,
      tooltip: `${extensionName}: ${joinFacts(status)}`,
      spoken: joinFacts([extensionName, name, ...status]),
      isWarning: problem !== undefined,
    });
  }
}

interface Problem {
  readonly icon: string;
  /** The problem in a few words. */
  readonly short: string;
  /** The problem in one or two sentences. */
  readonly status: string;
}

function describeProblem({ outage, phase, error }: ConnectionState): Problem | undefined {
  if (outage) {
    return {
      icon: 'debug-disconnect',
      short: vscode.l10n.t('not reachable'),
      status: describeOutage(outage),
    };
  }
  if (phase !== 'failed' || !error) return undefined;
  return { icon: 'warning', short: formatShortFailure(error), status: failureMessage(error).title };
}

function describeStatus(state: ConnectionState): string {
  if (state.gateway === undefined) return vscode.l10n.t('not connected');
  switch (state.phase) {
    case 'stopped':
      return vscode.l10n.t('{0}, stopped', state.gateway.name);
    case 'idle':
      return vscode.l10n.t('{0}, no requests yet', state.gateway.name);
    case 'loading':
      return vscode.l10n.t('{0}, loading models', state.gateway.name);
    case 'ready':
      return joinFacts([state.gateway.name, formatModelCount(state.models.length)]);
    case 'failed':
      return state.gateway.name;
  }
}
