import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import { errorMessage } from '../../base/errors.ts';
import type { LocalGateway } from '../connection/localGateway.ts';
import type { Log } from '../kit/display/log.ts';
import { notify } from '../kit/display/notify.ts';
import { runCommand } from '../kit/manifest/contributions.ts';
import { maxRestarts, pauseBefore, stableMs } from './restartPauses.ts';

/** Starts the local gateway again when it ended without anybody stopping it. Tells so once for each series. */
export class CrashRestart {
  readonly #localGateway: LocalGateway;
  readonly #log: Log;
  readonly #restarted: () => void;
  readonly #subscription: Disposable;
  #restarts = 0;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  #timer: NodeJS.Timeout | undefined;
  #startsAgainAt: number | undefined;
  #stable: NodeJS.Timeout | undefined;

  /** Fires when it waits for a restart from now on, or no longer. */
  readonly onDidChange = this.#onDidChange.event;

  /** @param restarted called each time it runs again */
  constructor(localGateway: LocalGateway, log: Log, restarted: () => void) {
    this.#localGateway = localGateway;
    this.#log = log;
    this.#restarted = restarted;
    this.#subscription = localGateway.onDidStop(() => this.#ended());
  }

  /** When it is started again, in milliseconds since 1970; undefined while it does not wait for that. */
  get startsAgainAt(): number | undefined {
    return this.#startsAgainAt;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#stable);
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #ended(): void {
    const { control, isStopped, isRestarting } = this.#localGateway;
    clearTimeout(this.#stable);
    if (control !== undefined || isStopped || isRestarting) return;
    this.#restarts += 1;
    if (this.#restarts > maxRestarts) return void this.#giveUp();
    clearTimeout(this.#timer);
    const pauseMs = pauseBefore(this.#restarts);
    this.#timer = setTimeout(() => void this.#restart(), pauseMs);
    this.#waits(Date.now() + pauseMs);
  }

  #waits(until: number | undefined): void {
    this.#startsAgainAt = until;
    this.#onDidChange.fire();
  }

  async #restart(): Promise<void> {
    this.#waits(undefined);
    try {
      await this.#localGateway.start('task');
    } catch (error) {
      if (this.#localGateway.isStopped) return;
      return this.#failed(errorMessage(error));
    }
    clearTimeout(this.#stable);
    this.#stable = setTimeout(() => {
      this.#restarts = 0;
    }, stableMs);
    this.#restarted();
    // Of all windows, the one that started it again tells so; a newer one that took its place needs no word.
    if (this.#restarts === 1 && this.#localGateway.isStartedHere)
      await this.#tell('warning', vscode.l10n.t('The local gateway exited unexpectedly and was restarted.'));
  }

  #failed(problem: string): void {
    this.#log.warn('gateway', `the local gateway did not start again: ${problem}`);
    if (this.#restarts === 1) {
      const words = vscode.l10n.t(
        'The local gateway exited unexpectedly and is not restarted yet. {0}',
        problem,
      );
      void this.#tell('warning', words);
    }
    this.#ended();
  }

  async #giveUp(): Promise<void> {
    this.#restarts = 0;
    const start = vscode.l10n.t('Start the Local Gateway');
    const words = vscode.l10n.t('The local gateway exits repeatedly and is no longer restarted.');
    if ((await this.#tell('error', words, start)) === start) await runCommand('localGateway.start');
  }

  async #tell(severity: 'warning' | 'error', words: string, ...buttons: readonly string[]) {
    const showLog = vscode.l10n.t('Show Local Gateway Log');
    const chosen = await notify(severity, words, ...buttons, showLog);
    if (chosen === showLog) await runCommand('localGateway.showLog');
    return chosen;
  }
}
