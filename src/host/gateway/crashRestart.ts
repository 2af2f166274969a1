import * as vscode from 'vscode';
import type { Disposable } from '../../base/emitter.ts';
import { errorMessage } from '../../base/errors.ts';
import type { LocalGateway } from '../connection/localGateway.ts';
import type { Log } from '../kit/display/log.ts';
import { notify } from '../kit/display/notify.ts';
import { runCommand } from '../kit/manifest/contributions.ts';
import { maxRestarts, pauseBefore, stableMs } from './restartPauses.ts';

/**
 * Restarts the local gateway when it exits without being stopped. Notifies the user of the first restart of a series,
 * and when the restarts end without success.
 */
export class CrashRestart {
  readonly #localGateway: LocalGateway;
  readonly #log: Log;
  readonly #onRestart: () => void;
  readonly #subscription: Disposable;
  /** The number of restarts in the current series. */
  #restartCount = 0;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  #restartTimer: NodeJS.Timeout | undefined;
  #startsAgainAt: number | undefined;
  #stableTimer: NodeJS.Timeout | undefined;

  /** Fires when `startsAgainAt` changes. */
  readonly onDidChange = this.#onDidChange.event;

  /** @param onRestart called after each restart */
  constructor(localGateway: LocalGateway, log: Log, onRestart: () => void) {
    this.#localGateway = localGateway;
    this.#log = log;
    this.#onRestart = onRestart;
    this.#subscription = localGateway.onDidStop(() => this.#handleStop());
  }

  /** The time of the next planned restart, in milliseconds since 1970; undefined if none is planned. */
  get startsAgainAt(): number | undefined {
    return this.#startsAgainAt;
  }

  dispose(): void {
    clearTimeout(this.#restartTimer);
    clearTimeout(this.#stableTimer);
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #handleStop(): void {
    const { control, isStopped, isRestarting } = this.#localGateway;
    // A replaced credential is also reported as a stop.
    if (control !== undefined || isStopped || isRestarting) return;
    clearTimeout(this.#stableTimer);
    this.#restartCount += 1;
    if (this.#restartCount > maxRestarts) return void this.#giveUp();
    clearTimeout(this.#restartTimer);
    const pauseMs = pauseBefore(this.#restartCount);
    this.#restartTimer = setTimeout(() => void this.#restart(), pauseMs);
    this.#setRestartTime(Date.now() + pauseMs);
  }

  #setRestartTime(time: number | undefined): void {
    this.#startsAgainAt = time;
    this.#onDidChange.fire();
  }

  async #restart(): Promise<void> {
    this.#setRestartTime(undefined);
    try {
      await this.#localGateway.start('task');
    } catch (error) {
      if (this.#localGateway.isStopped) return;
      return this.#handleFailure(errorMessage(error));
    }
    clearTimeout(this.#stableTimer);
    this.#stableTimer = setTimeout(() => {
      this.#restartCount = 0;
    }, stableMs);
    this.#onRestart();
    // Only the window that restarted the gateway shows the message. A replacement by a newer gateway is not reported.
    if (this.#restartCount === 1 && this.#localGateway.isStartedHere)
      await this.#notify(
        'warning',
        vscode.l10n.t('The local gateway exited unexpectedly and was restarted.'),
      );
  }

  #handleFailure(problem: string): void {
    this.#log.warn('gateway', `the local gateway did not start again: ${problem}`);
    if (this.#restartCount === 1) {
      const words = vscode.l10n.t(
        'The local gateway exited unexpectedly and has not been restarted yet. {0}',
        problem,
      );
      void this.#notify('warning', words);
    }
    this.#handleStop();
  }

  async #giveUp(): Promise<void> {
    this.#restartCount = 0;
    const start = vscode.l10n.t('Start the Local Gateway');
    const words = vscode.l10n.t(
      'The local gateway exited repeatedly and is no longer restarted automatically.',
    );
    if ((await this.#notify('error', words, start)) === start) await runCommand('localGateway.start');
  }

  async #notify(severity: 'warning' | 'error', words: string, ...buttons: readonly string[]) {
    const showLog = vscode.l10n.t('Show Local Gateway Log');
    const chosen = await notify(severity, words, ...buttons, showLog);
    if (chosen === showLog) await runCommand('localGateway.showLog');
    return chosen;
  }
}
