import * as vscode from 'vscode';
import type { Disposable } from '../../base/disposable.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { Connection, ConnectionState } from '../connection/connection.ts';
import { failureMessage } from '../connection/failureMessage.ts';
import type { LocalUpstreams } from '../connection/localUpstreams.ts';
import type { Outage } from '../connection/outage.ts';
import { outageBegan, outageWords } from '../connection/outageWords.ts';
import { modelCount } from '../kit/counts.ts';
import { KnownRows, type TreeRow } from '../kit/display/knownRows.ts';
import { factLine } from '../kit/display/listed.ts';
import { ViewProgress } from '../kit/display/progress.ts';
import { describeView, treeItem } from '../kit/display/rows.ts';
import { shortTime } from '../kit/display/times.ts';
import { type CommandId, commandName, setContextKey, viewId } from '../kit/manifest/contributions.ts';
import { actionCommand } from '../kit/noticeActions.ts';
import type { ModelNotes } from './modelNotes.ts';
import { type GroupRow, type ModelRow, ModelRows } from './modelRows.ts';
import { type OfferId, type Offers, offerRow } from './offers.ts';
import { type GatewayNode, unavailableRows } from './upstreamRows.ts';

/** A row that tells of the list instead of belonging to it. */
interface Notice {
  readonly kind: 'notice';
  readonly label: string;
  readonly item: vscode.TreeItem;
}

/** A row of the Models view. */
export type ModelsNode = Notice | GroupRow | ModelRow | GatewayNode;

/** The models of the current gateway, in groups. Old rows stay while new ones are read. */
export class ModelsView implements vscode.TreeDataProvider<ModelsNode> {
  readonly #notes: ModelNotes;
  readonly #offers: Offers;
  readonly #upstreams: LocalUpstreams;
  readonly #onDidChange = new vscode.EventEmitter<ModelsNode[] | undefined>();
  readonly #known = new KnownRows<ModelsNode>();
  readonly #view: vscode.TreeView<ModelsNode>;
  readonly #subscriptions: readonly Disposable[];
  #rows: ModelRows;
  readonly onDidChangeTreeData = this.#onDidChange.event;
  readonly #progress = new ViewProgress(viewId('models'));

  constructor(connection: Connection, notes: ModelNotes, upstreams: LocalUpstreams, offers: Offers) {
    this.#notes = notes;
    this.#upstreams = upstreams;
    this.#offers = offers;
    this.#rows = new ModelRows(notes, connection.state);
    this.#view = vscode.window.createTreeView(viewId('models'), {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#subscriptions = [
      connection.onDidChange((state) => this.#show(state)),
      notes.onDidChange(() => this.#show(connection.state)),
      offers.onDidChange(() => this.#show(connection.state)),
      upstreams.onDidChange(() => this.#show(connection.state)),
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

  /** The name of the selected upstream, whose models are not available. */
  get selectedUpstream(): string | undefined {
    const [node] = this.#view.selection;
    return node?.kind === 'upstream' ? node.name : undefined;
  }

  /** The models that are not hidden. */
  get shown(): readonly Model[] {
    return this.#rows.shown;
  }

  getChildren(node?: ModelsNode): ModelsNode[] {
    return [...(node ? this.#known.childrenOf(node) : this.#known.roots)];
  }

  getTreeItem(node: ModelsNode): vscode.TreeItem {
    return this.#known.itemOf(node) ?? treeItem({ id: 'gone', label: '' });
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
    const { current } = this.#offers;
    const offer = current && state.models.length > 0 ? [offerNotice(current)] : [];
    const unavailable = state.gateway?.kind === 'local' ? unavailableRows(this.#upstreams.state) : [];
    const changed = this.#known.update([
      ...[...notices(state), ...offer].map(noticeLine),
      ...unavailable,
      ...this.#rows.lines,
    ]);
    if (changed?.length !== 0) this.#onDidChange.fire(changed && [...changed]);
  }
}

function noticeLine(node: Notice): TreeRow<Notice> {
  const { id = '', label, description, tooltip, command } = node.item;
  return { id, node, look: [label, description, tooltip, command?.command], item: () => node.item };
}

function notices(state: ConnectionState): Notice[] {
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
        'The account may have no models yet, or the credential may belong to another one. Click to set another credential.',
      ),
      command: 'setCredential',
    }),
  ];
}

function offerNotice(id: OfferId): Notice {
  const item = offerRow(id);
  return { kind: 'notice', label: String(item.label), item };
}

function failureRow({ error, models }: ConnectionState): Notice {
  if (error === undefined) return notice('', { icon: 'error' });
  const message = failureMessage(error);
  const [action] = message.actions;
  const stale = models.length > 0 ? vscode.l10n.t('showing the last list') : undefined;
  return notice(message.title, {
    icon: 'error',
    color: 'list.errorForeground',
    description: stale,
    tooltip: message.details,
    context: 'failure',
    command: (action && actionCommand(action)) ?? 'checkConnection',
  });
}

function beyondRow({ models, modelsBeyond }: ConnectionState): Notice {
  return notice(vscode.l10n.t('{0} more are not listed', modelCount(modelsBeyond)), {
    icon: 'info',
    tooltip: vscode.l10n.t(
      'The gateway lists more models than can be shown. These are its first {0}.',
      modelCount(models.length),
    ),
  });
}

function unaskedRow({ modelsReadAt }: ConnectionState): Notice {
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
  readonly context?: string;
  readonly command?: CommandId;
}

function notice(label: string, content: NoticeContent): Notice {
  const command = content.command && { command: commandName(content.command), title: label };
  return { kind: 'notice', label, item: treeItem({ ...content, id: 'notice', label, command }) };
}

/** The first row of the Models view while the gateway cannot be reached. A click, or its button, tries again. */
function outageRow(outage: Outage, hasOldModels: boolean): vscode.TreeItem {
  const rest = hasOldModels ? [vscode.l10n.t('showing the last list')] : [];
  return treeItem({
    id: 'notice',
    label: vscode.l10n.t('Not reachable'),
    icon: 'debug-disconnect',
    color: 'list.warningForeground',
    description: factLine([outageBegan(outage), ...rest]),
    tooltip: `${outageWords(outage)}\n${vscode.l10n.t('Click to try again.')}`,
    context: 'outage',
    command: { command: commandName('refreshModels'), title: vscode.l10n.t('Try Again') },
  });
}

/** The first row of the Models view while the local gateway is stopped. A click starts it. */
function stoppedRow(): vscode.TreeItem {
  const label = vscode.l10n.t('Start the Local Gateway');
  return treeItem({
    id: 'notice',
    label,
    icon: 'debug-start',
    description: vscode.l10n.t('stopped'),
    tooltip: vscode.l10n.t('It was stopped. Click to start it again.'),
    command: { command: commandName('localGateway.start'), title: label },
  });
}
