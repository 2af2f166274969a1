import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { Connection, ConnectionState } from '../connection/connection.ts';
import { type CommandId, commandName, setContextKey, viewId } from '../contributions.ts';
import { modelCount } from '../counts.ts';
import { ViewProgress } from '../display/progress.ts';
import { describeView, treeItem } from '../display/rows.ts';
import { shortTime } from '../display/shortTime.ts';
import { failureMessage, failureText } from '../failureMessage.ts';
import { actionCommand } from '../noticeActions.ts';
import type { ModelNotes } from './modelNotes.ts';
import { type GroupRow, type ModelRow, ModelRows } from './modelRows.ts';
import { outageRow, stoppedRow } from './outageRow.ts';

/** A row of the Models view. */
export type ModelsNode =
  | { readonly kind: 'notice'; readonly label: string; readonly item: vscode.TreeItem }
  | GroupRow
  | ModelRow;

/** The models of the current gateway, in groups. Old rows stay while new ones are read. */
export class ModelsView implements vscode.TreeDataProvider<ModelsNode> {
  readonly #connection: Connection;
  readonly #notes: ModelNotes;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<ModelsNode>;
  readonly #subscriptions: readonly Disposable[];
  #rows: ModelRows;
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #progress = new ViewProgress(viewId('models'));

  constructor(connection: Connection, notes: ModelNotes) {
    this.#connection = connection;
    this.#notes = notes;
    this.#rows = new ModelRows(notes, connection.state);
    this.#view = vscode.window.createTreeView(viewId('models'), {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#subscriptions = [
      connection.onDidChange((state) => this.#show(state)),
      notes.onDidChange(() => this.#show(connection.state)),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible && connection.state.phase === 'unasked') void connection.refresh();
      }),
    ];
    this.#show(connection.state);
  }

  /** The model of the selected row. */
  get selected(): Model | undefined {
    const [node] = this.#view.selection;
    return node?.kind === 'model' ? node.model : undefined;
  }

  getChildren(node?: ModelsNode): ModelsNode[] {
    if (node?.kind === 'group') return [...this.#rows.of(node)];
    return node ? [] : [...notices(this.#connection.state), ...this.#rows.groups];
  }

  getTreeItem(node: ModelsNode): vscode.TreeItem {
    if (node.kind === 'notice') return node.item;
    return node.kind === 'group' ? this.#rows.groupItem(node) : this.#rows.modelItem(node);
  }

  /** Adds what is not needed before a row is pointed at. */
  resolveTreeItem(item: vscode.TreeItem, node: ModelsNode): vscode.TreeItem {
    return node.kind === 'model' ? this.#rows.addTooltip(item, node) : item;
  }

  dispose(): void {
    this.#progress.show(false);
    for (const subscription of this.#subscriptions) subscription.dispose();
    this.#view.dispose();
    this.#onDidChange.dispose();
  }

  #show(state: ConnectionState): void {
    setContextKey('hasGateway', state.gateway !== undefined);
    describeView(this.#view, state.gateway?.name);
    this.#progress.show(state.phase === 'loading');
    this.#rows = new ModelRows(this.#notes, state);
    this.#onDidChange.fire();
  }
}

function notices(state: ConnectionState): ModelsNode[] {
  if (state.gateway === undefined) return [];
  if (state.outage) {
    const item = outageRow(state.outage, state.models.length > 0);
    return [{ kind: 'notice', label: String(item.label), item }];
  }
  if (state.phase === 'failed' && state.error) return [failureRow(state)];
  if (state.phase === 'unasked') return [unaskedRow(state)];
  if (state.phase === 'stopped') return [{ kind: 'notice', label: '', item: stoppedRow() }];
  if (state.models.length > 0) return state.modelsBeyond > 0 ? [beyondRow(state)] : [];
  if (state.phase === 'loading') return [notice(vscode.l10n.t('Loading models…'), { icon: 'loading~spin' })];
  return [
    notice(vscode.l10n.t('The gateway lists no models for this account'), {
      icon: 'info',
      tooltip: vscode.l10n.t(
        'The account may have no models yet, or the credential may ' +
          'belong to another one. Click to set another credential.',
      ),
      command: 'setCredential',
    }),
  ];
}

function failureRow({ error, models }: ConnectionState): ModelsNode {
  if (error === undefined) return notice('', { icon: 'error' });
  const message = failureMessage(error);
  const [action] = message.actions;
  const stale = models.length > 0 ? vscode.l10n.t('showing the last list') : undefined;
  return notice(message.title, {
    icon: 'error',
    color: 'list.errorForeground',
    description: stale,
    tooltip: failureText(message),
    command: (action && actionCommand(action)) ?? 'checkConnection',
  });
}

function beyondRow({ models, modelsBeyond }: ConnectionState): ModelsNode {
  return notice(vscode.l10n.t('{0} more are not listed', modelCount(modelsBeyond)), {
    icon: 'info',
    tooltip: vscode.l10n.t(
      'The gateway lists more models than can be shown. These are its first {0}.',
      modelCount(models.length),
    ),
  });
}

function unaskedRow({ modelsReadAt }: ConnectionState): ModelsNode {
  const label =
    modelsReadAt === undefined
      ? vscode.l10n.t('Load Models')
      : vscode.l10n.t('Last loaded {0}', shortTime(modelsReadAt));
  return notice(label, {
    icon: 'refresh',
    tooltip: vscode.l10n.t('Nothing was sent to the gateway from this window yet. Click to load its models.'),
    command: 'refreshModels',
  });
}

interface NoticeContent {
  readonly icon: string;
  readonly color?: string;
  readonly description?: string | undefined;
  readonly tooltip?: string;
  readonly command?: CommandId;
}

function notice(label: string, content: NoticeContent): ModelsNode {
  const command = content.command && { command: commandName(content.command), title: label };
  return { kind: 'notice', label, item: treeItem({ ...content, id: 'notice', label, command }) };
}
