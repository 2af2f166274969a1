import * as vscode from 'vscode';
import { createTreeItem } from '../kit/display/treeRows.ts';
import { type CommandId, commandName } from '../kit/manifest/contributions.ts';

const memoryKey = 'answeredOffers';

/** The offers in their order in the view. */
const offerIds = ['vscode-chat', 'new-chats', 'utility-model'] as const;

type OfferId = (typeof offerIds)[number];

/**
 * The offers of the Models view. One offer at a time is shown as a row, until the user accepts or dismisses it. Offers
 * are not notifications, because a notification would cover the message box.
 */
export class ModelsViewOffers {
  readonly #state: vscode.Memento;
  readonly #open = new Set<OfferId>();
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly onDidChange = this.#onDidChange.event;

  /** @param state the state that all windows share */
  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  get current(): OfferId | undefined {
    return offerIds.find((id) => this.#open.has(id));
  }

  /** Makes an offer while it is useful, unless the user has already answered it. */
  async make(id: OfferId, isUseful: () => boolean | Promise<boolean>): Promise<void> {
    if (this.#answered.includes(id)) return;
    if (!(await isUseful())) return this.withdraw(id);
    if (this.#open.has(id) || this.#answered.includes(id)) return;
    this.#open.add(id);
    this.#onDidChange.fire();
  }

  /** Ends an offer that is no longer useful. It may be made again. */
  withdraw(id: OfferId): void {
    if (this.#open.delete(id)) this.#onDidChange.fire();
  }

  /** Records that the offer was accepted or dismissed, so that it is not made again. */
  async close(id: OfferId): Promise<void> {
    this.withdraw(id);
    if (!this.#answered.includes(id)) await this.#state.update(memoryKey, [...this.#answered, id]);
  }

  dispose(): void {
    this.#onDidChange.dispose();
  }

  get #answered(): readonly OfferId[] {
    const answered = this.#state.get<unknown>(memoryKey);
    return offerIds.filter((id) => Array.isArray(answered) && answered.includes(id));
  }
}

/** The row of an offer. A click accepts it. */
export function offerRow(id: OfferId): vscode.TreeItem {
  const { label, tooltip, command } = offerWords(id);
  return createTreeItem({
    id: 'offer',
    label,
    tooltip,
    icon: 'lightbulb',
    context: 'offer',
    command: { command: commandName(command), title: label },
  });
}

function offerWords(id: OfferId): { label: string; tooltip: string; command: CommandId } {
  const { t } = vscode.l10n;
  if (id === 'vscode-chat') {
    const label = t('Use These Models in VS Code’s Chat');
    const tooltip = t(
      'VS Code’s own chat and its agents can also use the models of your gateway. The chat is turned off until you set it up; no account is required.',
    );
    return { label, tooltip, command: 'models.useInVsCodeChat' };
  }
  if (id === 'new-chats') {
    const label = t('Show These Models in VS Code’s New Chats');
    const tooltip = t(
      'New chats in VS Code use its Copilot agent, which does not show the models of your gateway. A click changes VS Code’s setting, and you can undo it.',
    );
    return { label, tooltip, command: 'vscodeChat.showInNewChats' };
  }
  const label = t('Choose a Title Model for VS Code’s Chat');
  const tooltip = t(
    'VS Code’s chat has no model that writes titles and commit messages. A model of your gateway can write them, which uses some tokens.',
  );
  return { label, tooltip, command: 'vscodeChat.chooseUtilityModel' };
}
