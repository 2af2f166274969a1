import * as vscode from 'vscode';
import { notify } from '../../display/notify.ts';
import { hostChatState, openHostChat, switchOnHostChat } from './hostChat.ts';

const toldKey = 'vscodeChatOffered';

/**
 * Offers once to switch on VS Code's own chat, when the first models are in its picker: without it, the first question
 * there asks whoever is signed out to sign in.
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
}
