import * as vscode from 'vscode';
import { notify } from '../../display/notify.ts';
import { hasOwnModels, hostChatState, openHostChat, switchOnHostChat } from './hostChat.ts';
import { asksForAccount, firstWithoutAccount } from './hostVersion.ts';

const toldKey = 'vscodeChatOffered';
const olderToldKey = 'vscodeChatAccountTold';

/**
 * Offers once to switch on VS Code's own chat, when the first models are in its picker: without it, the first question
 * there asks whoever is signed out to sign in. An older VS Code asks for that in any case, which is told once.
 */
export class ChatOffer {
  readonly #memory: vscode.Memento;
  #isLookedAt = false;

  constructor(memory: vscode.Memento) {
    this.#memory = memory;
  }

  async make(): Promise<void> {
    if (this.#isLookedAt || this.#memory.get<boolean>(toldKey, false)) return;
    this.#isLookedAt = true;
    if (asksForAccount(vscode.version)) return this.#tellOlder();
    if ((await hostChatState()) !== 'off') return;
    await this.#memory.update(toldKey, true);
    const { t } = vscode.l10n;
    const use = t('Use VS Code’s Chat');
    const words = t(
      'VS Code’s own chat and its agents can use the models of your gateway, too. It is switched off until it is set up; for this it needs no account.',
    );
    if ((await notify('info', words, use, t('Not Now'))) !== use) return;
    await switchOnHostChat();
    await openHostChat();
  }

  async #tellOlder(): Promise<void> {
    if (this.#memory.get<boolean>(olderToldKey, false) || (await hasOwnModels())) return;
    await this.#memory.update(olderToldKey, true);
    await notify('info', olderWords());
  }
}

/** What to know of VS Code's own chat where it asks for an account. */
export function olderWords(): string {
  return vscode.l10n.t(
    'VS Code {0} asks for an account of its own before its chat answers. Since VS Code {1}, it needs none for the models of your gateway.',
    vscode.version,
    firstWithoutAccount,
  );
}
