import * as vscode from 'vscode';
import { createTreeItem } from '../kit/display/treeRows.ts';
import { type CommandId, commandName } from '../kit/manifest/contributions.ts';

const memoryKey = 'answeredOffers';

/** The offers in their order in the view. */
const offerIds = ['vscode-chat', 'new-chats', 'local-agent', 'utility-model'] as const;

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

  /** The row of the current offer, and the text above it. A click on the row accepts the offer. */
  get row(): { readonly item: vscode.TreeItem; readonly reason: string | undefined } | undefined {
    if (this.current === undefined) return undefined;
    const { label, tooltip, command, reason } = offerWords(this.current);
    const item = createTreeItem({
      id: 'offer',
      label,
      tooltip,
      icon: 'lightbulb',
      context: 'offer',
      command: { command: commandName(command), title: label },
    });
    return { item, reason };
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

type NewChatsState = 'hidden' | 'impossible' | 'shown' | 'local';

/**
 * The sentences about new chats of VS Code, by its settings: its Copilot agent hides our models, cannot show them in this
 * window or shows them, or its local agent is used. They do not promise more than the settings: extensions cannot read the
 * user's choice in VS Code's picker, or the rules of an organization.
 */
export function newChatsWords(state: NewChatsState): string {
  const { t } = vscode.l10n;
  if (state === 'impossible')
    return t(
      'VS Code’s settings let new chats use its Copilot agent, which shows these models only in local windows.',
    );
  if (state === 'local')
    return t(
      'VS Code’s settings let new chats use its local agent, which shows these models. If the picker below the message box shows another agent, choose Local.',
    );
  const sentence =
    state === 'hidden'
      ? t('VS Code’s settings let new chats use its Copilot agent, which does not show these models.')
      : t(
          'VS Code’s settings allow its Copilot agent to show these models, unless your organization forbids it.',
        );
  const limits = t(
    'In the Copilot agent, replies appear only when they are complete, Stop does not end requests, @gateway does not work, and subagents and Auto may require an account. The Claude and Codex agents do not show these models.',
  );
  return `${sentence} ${limits}`;
}

interface OfferWords {
  readonly label: string;
  readonly tooltip: string;
  readonly command: CommandId;
  /** Shown above the row. */
  readonly reason?: string;
}

function offerWords(id: OfferId): OfferWords {
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
    const tooltip = t('A click changes VS Code’s settings. You can undo it.');
    return { label, tooltip, command: 'vscodeChat.showInNewChats', reason: newChatsWords('hidden') };
  }
  if (id === 'local-agent') {
    const label = t('Use VS Code’s Local Agent for New Chats');
    const tooltip = t('A click changes VS Code’s settings, also for local windows. You can undo it.');
    return { label, tooltip, command: 'vscodeChat.showInNewChats', reason: newChatsWords('impossible') };
  }
  const label = t('Choose a Title Model for VS Code’s Chat');
  const tooltip = t(
    'VS Code’s chat has no model that writes titles and commit messages. A model of your gateway can write them, which uses some tokens.',
  );
  return { label, tooltip, command: 'vscodeChat.chooseUtilityModel' };
}
