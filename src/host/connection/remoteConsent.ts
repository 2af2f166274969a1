import * as vscode from 'vscode';
import { confirm } from '../display/notify.ts';

const key = 'localGateway.allowed';

/**
 * Whether the local gateway may listen on the machine of a remote window: VS Code forwards every port that is
 * opened there, so that it can be reached from other machines than the user thinks of (T27). Asked once for each
 * remote workspace.
 */
export class RemoteConsent {
  readonly #memory: vscode.Memento;

  constructor(context: vscode.ExtensionContext) {
    this.#memory = context.workspaceState;
  }

  /** False in a remote window whose user has not said yes. */
  get isGiven(): boolean {
    return vscode.env.remoteName === undefined || this.#memory.get(key) === vscode.env.remoteName;
  }

  async give(): Promise<void> {
    await this.#memory.update(key, vscode.env.remoteName);
  }

  async withdraw(): Promise<void> {
    await this.#memory.update(key, undefined);
  }

  /** Asks where it was not given yet. */
  async ask(): Promise<boolean> {
    if (this.isGiven) return true;
    const start = vscode.l10n.t('Start it there');
    const chosen = await confirm(
      vscode.l10n.t('Start the demo gateway on the remote machine?'),
      vscode.l10n.t(
        'This window works on another machine ({0}). The demo gateway would listen on a port there, which VS Code forwards by itself: whoever reaches the forwarded port reaches the gateway. It answers only to those who know its credential, which stays on that machine.',
        vscode.env.remoteName ?? '',
      ),
      start,
    );
    if (chosen !== start) return false;
    await this.give();
    return true;
  }
}
