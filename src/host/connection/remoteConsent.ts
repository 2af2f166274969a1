import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as vscode from 'vscode';
import { confirm } from '../kit/display/notify.ts';

/**
 * The user's consent to run the local gateway on a remote machine. It is stored on that machine for all its windows. VS
 * Code forwards every port that is opened there, so that other machines may reach the gateway (T27).
 */
export class RemoteConsent {
  readonly #file: string;
  readonly #isProvided: boolean;

  /** @param isProvided whether the gateway was started outside VS Code for this window */
  constructor({ globalStorageUri }: vscode.ExtensionContext, isProvided: boolean) {
    this.#file = join(globalStorageUri.fsPath, 'localGatewayAllowed');
    this.#isProvided = isProvided;
  }

  /** Whether the gateway may run. In a remote window, the user must have consented, unless it is provided. */
  get isGiven(): boolean {
    return vscode.env.remoteName === undefined || this.#isProvided || existsSync(this.#file);
  }

  async grant(): Promise<void> {
    await mkdir(dirname(this.#file), { recursive: true });
    await writeFile(this.#file, '', { mode: 0o600 });
  }

  async withdraw(): Promise<void> {
    await rm(this.#file, { force: true });
  }

  /** Shows a dialog, unless consent was already given. @returns whether the user consents */
  async request(): Promise<boolean> {
    if (this.isGiven) return true;
    const start = vscode.l10n.t('Start There');
    const chosen = await confirm(
      vscode.l10n.t('Start the local gateway on the remote machine?'),
      vscode.l10n.t(
        'This window is connected to another machine ({0}). The local gateway would listen on a port there, which VS Code forwards automatically: anyone who can reach the forwarded port can reach the gateway. It accepts only requests with its credential, which stays on that machine.',
        vscode.env.remoteName ?? '',
      ),
      start,
    );
    if (chosen !== start) return false;
    await this.grant();
    return true;
  }
}
