import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';
import { isFullyVisible } from '../../base/hiddenCharacters.ts';
import { createCommandKey } from '../../base/node/commandKey.ts';
import type { KeySource } from '../../base/node/keySource.ts';
import { CommandUnconfirmedError } from '../../client/credential.ts';
import type { Log } from '../kit/display/log.ts';
import { confirm } from '../kit/display/notify.ts';
import { type ConfiguredGateway, readIdentity } from './configuredGateway.ts';

/** The maximum length of a command, in UTF-16 units. The dialog that requests consent must show the whole command. */
const maxCommandLength = 4_000;

/** A gateway with a command that prints its credential. */
type CommandGateway = ConfiguredGateway & Required<Pick<ConfiguredGateway, 'credentialCommand'>>;

/**
 * The commands that print the credentials of gateways. Settings may come from another machine, so a command runs only
 * after the user has confirmed it on this machine, for the origin that receives its output.
 */
export class CredentialCommands {
  readonly #memory: vscode.Memento;
  readonly #log: Log;
  /** The sources of the credentials, by gateway, origin and command. */
  readonly #sources = new Map<string, KeySource>();

  constructor({ globalState }: vscode.ExtensionContext, log: Log) {
    this.#memory = globalState;
    this.#log = log;
  }

  /** Lets the user confirm the whole command, unless it is already confirmed. @returns whether the user consents */
  async requestConsent(gateway: CommandGateway): Promise<boolean> {
    if (this.#isConfirmed(gateway)) return true;
    if (findCommandProblem(gateway.credentialCommand) !== undefined) return false;
    const { origin } = new URL(gateway.baseUrl);
    const run = vscode.l10n.t('Run Command');
    const detail = vscode.l10n.t(
      'The system’s shell runs it whenever a credential is needed, and its output is sent to {0}. Allow this only if you know the command.',
      origin,
    );
    const question = vscode.l10n.t('Use this command to get the credential?');
    if ((await confirm(question, `${gateway.credentialCommand}\n\n${detail}`, run)) !== run) return false;
    await this.#memory.update(buildConsentKey(gateway), hashCommand(gateway.credentialCommand));
    return true;
  }

  /**
   * Returns the credential for a request. The command runs only if no valid credential is cached.
   *
   * @throws {CommandUnconfirmedError} without the user's consent
   * @throws {KeyError} if the command fails
   */
  async read(gateway: CommandGateway): Promise<string | undefined> {
    const credential = await this.#getSource(gateway).read(undefined);
    if (credential !== undefined) this.#log.hideSecret(credential);
    return credential;
  }

  /** Runs the command again after a gateway refused the credential. If this fails, logs the error. */
  async renew(gateway: CommandGateway, refused: string): Promise<string | undefined> {
    try {
      this.#getSource(gateway).reportRefused(refused);
      return await this.read(gateway);
    } catch (error) {
      this.#log.warn('connection', `the credential was not renewed: ${errorMessage(error)}`);
      return undefined;
    }
  }

  /** Withdraws the consent to the command. */
  async forget(gateway: ConfiguredGateway): Promise<void> {
    await this.#memory.update(buildConsentKey(gateway), undefined);
  }

  dispose(): void {
    for (const source of this.#sources.values()) source.close();
  }

  #isConfirmed(gateway: CommandGateway): boolean {
    return this.#memory.get(buildConsentKey(gateway)) === hashCommand(gateway.credentialCommand);
  }

  #getSource(gateway: CommandGateway): KeySource {
    if (!this.#isConfirmed(gateway)) throw new CommandUnconfirmedError();
    const { credentialCommand: command } = gateway;
    const key = `${buildConsentKey(gateway)} ${command}`;
    const source = this.#sources.get(key) ?? createCommandKey(command, 'the command');
    this.#sources.set(key, source);
    return source;
  }
}

/** Whether the credential of a gateway comes from a command. */
export function hasCommand(gateway: ConfiguredGateway): gateway is CommandGateway {
  return gateway.credentialCommand !== undefined;
}

/** Returns the reason why a command cannot be confirmed; undefined if a dialog can show the whole command. */
export function findCommandProblem(command: string): string | undefined {
  if (command.trim() === '') return vscode.l10n.t('Enter a command.');
  if (command.length > maxCommandLength || !isFullyVisible(command))
    return vscode.l10n.t(
      'Enter one line without hidden characters, of at most {0} characters.',
      maxCommandLength,
    );
  return undefined;
}

function buildConsentKey(gateway: ConfiguredGateway): string {
  return `credentialCommand/${readIdentity(gateway)}@${new URL(gateway.baseUrl).origin}`;
}

function hashCommand(command: string): string {
  return createHash('sha256').update(command).digest('hex');
}
