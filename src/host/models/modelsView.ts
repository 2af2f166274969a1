import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { Connection, ConnectionState } from '../connection/connection.ts';
import { type CommandId, commandName, setContextKey, viewId } from '../contributions.ts';
import { modelCount } from '../counts.ts';
import { ViewProgress } from '../display/progress.ts';
import { describeView, treeItem } from '../display/rows.ts';
import { failureMessage, failureText } from '../failureMessage.ts';
import { actionCommand } from '../noticeActions.ts';
import { outageRow, stoppedRow } from './outageRow.ts';
import { seemsToMakeVideos } from './videoModels.ts';

/** A row of the Models view. */
export type ModelsNode =
  | { readonly kind: 'notice'; readonly label: string; readonly item: vscode.TreeItem }
  | { readonly kind: 'owner'; readonly owner: string; readonly models: readonly Model[] }
  | { readonly kind: 'model'; readonly model: Model };

/** The models of the current gateway, grouped by owner. Old rows stay while new ones are read. */
export class ModelsView implements vscode.TreeDataProvider<ModelsNode> {
  readonly #connection: Connection;
  readonly #onDidChange = new vscode.EventEmitter<void>();
  readonly #view: vscode.TreeView<ModelsNode>;
  readonly #subscriptions: vscode.Disposable[];
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #progress = new ViewProgress(viewId('models'));

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#view = vscode.window.createTreeView(viewId('models'), {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#subscriptions = [
      connection.onDidChange((state) => this.#show(state)),
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
    if (node?.kind === 'owner') return node.models.map((model) => ({ kind: 'model', model }));
    if (node !== undefined) return [];
    const { state } = this.#connection;
    return [...notices(state), ...ownerNodes(state.models)];
  }

  getTreeItem(node: ModelsNode): vscode.TreeItem {
    if (node.kind === 'notice') return node.item;
    return node.kind === 'owner' ? ownerItem(node.owner, node.models.length) : modelItem(node.model);
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
      : vscode.l10n.t('Last loaded {0}', new Date(modelsReadAt).toLocaleString(vscode.env.language));
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

function ownerNodes(models: readonly Model[]): ModelsNode[] {
  const byOwner = Map.groupBy(models, (model) => model.owner);
  return [...byOwner]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([owner, owned]) => ({ kind: 'owner', owner, models: owned }));
}

function ownerItem(owner: string, count: number): vscode.TreeItem {
  return treeItem({
    id: `owner/${owner}`,
    label: owner || vscode.l10n.t('No owner'),
    description: String(count),
    context: 'owner',
    children: 'expanded',
  });
}

function modelItem(model: Model): vscode.TreeItem {
  const makesVideos = seemsToMakeVideos(model.id);
  return treeItem({
    id: `model/${model.id}`,
    label: model.name ?? model.id,
    icon: makesVideos ? 'device-camera-video' : 'chip',
    description: model.name === undefined || model.name === model.id ? undefined : model.id,
    tooltip: modelTooltip(model),
    context: makesVideos ? 'videoModel' : 'model',
    command: {
      command: commandName('models.openSelected'),
      title: makesVideos ? vscode.l10n.t('New Video') : vscode.l10n.t('New Chat'),
    },
  });
}

function modelTooltip(model: Model): string {
  const lines = [model.id];
  if (model.owner) lines.push(vscode.l10n.t('Owner: {0}', model.owner));
  if (model.created) {
    lines.push(
      vscode.l10n.t('Created: {0}', new Date(model.created * 1000).toLocaleDateString(vscode.env.language)),
    );
  }
  return lines.join('\n');
}
