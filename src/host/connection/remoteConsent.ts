import * as vscode from 'vscode';
import { confirm } from '../display/notify.ts';

const key = 'localGateway.allowed';

/**
 * The user's consent to run the local gateway on a remote machine, stored for each workspace. VS Code
 * forwards every port that is opened there, so other machines may reach it (T27).
 */
export class RemoteConsent {
  readonly #memory: vscode.Memento;

  constructor(context: vscode.ExtensionContext) {
    this.#memory = context.workspaceState;
  }

  /** True in a local window. In a remote window, true once the user consented. */
  get isGiven(): boolean {
    return vscode.env.remoteName === undefined || this.#memory.get(key) === vscode.env.remoteName;
  }

  async give(): Promise<void> {
    await this.#memory.update(key, vscode.env.remoteName);
  }

  async withdraw(): Promise<void> {
    await this.#memory.update(key, undefined);
  }

  /** Asks the user unless consent was given already. */
  async ask(): Promise<boolean> {
    if (this.isGiven) return true;
    const start = vscode.l10n.t('Start There');
    const chosen = await confirm(
      vscode.l10n.t('Start the local gateway on the remote machine?'),
      vscode.l10n.t(
        'This window works on another machine ({0}). The local gateway would listen on a port there, which VS Code forwards automatically: anyone who can reach the forwarded port can reach the gateway. It accepts only requests with its credential, which stays on that machine.',
        vscode.env.remoteName ?? '',
      ),
      start,
    );
    if (chosen !== start) return false;
    await this.give();
    return true;
  }
}
