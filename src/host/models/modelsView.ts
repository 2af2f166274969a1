import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import type { Connection, ConnectionState } from '../connection/connection.ts';
import { describeOutage, describeOutageStart, failureMessage } from '../connection/failureMessage.ts';
import type { LocalUpstreams } from '../connection/localUpstreams.ts';
import type { Outage } from '../connection/outage.ts';
import { formatModelCount } from '../kit/countWords.ts';
import { joinFacts } from '../kit/display/joinNames.ts';
import { ViewProgress } from '../kit/display/progress.ts';
import { RowView } from '../kit/display/rowView.ts';
import { formatShortTime } from '../kit/display/timeWords.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { createTreeItem, showViewDescription, showViewMessage } from '../kit/display/treeRows.ts';
import { type CommandId, commandName, setContextKey, viewId } from '../kit/manifest/contributions.ts';
import { getActionCommand } from '../kit/noticeActions.ts';
import { type GatewayNode, unavailableRows } from './localGatewayRows.ts';
import type { ModelChoices } from './modelChoices.ts';
import { type GroupRow, type ModelRow, ModelRows } from './modelRows.ts';
import type { ModelsViewOffers } from './modelsViewOffers.ts';

/** A row with a message about the list. */
interface Notice {
  readonly kind: 'notice';
  readonly label: string;
  readonly item: vscode.TreeItem;
}

/** A row of the Models view. */
export type ModelsNode = Notice | GroupRow | ModelRow | GatewayNode;

/** The Models view: the models of the window's gateway in groups. Old rows remain while a new list is read. */
export class ModelsView extends RowView<ModelsNode> {
  readonly #modelChoices: ModelChoices;
  readonly #offers: ModelsViewOffers;
  readonly #upstreams: LocalUpstreams;
  #models: ModelRows;
  readonly #progress = new ViewProgress(viewId('models'));

  constructor(
    connection: Connection,
    modelChoices: ModelChoices,
    upstreams: LocalUpstreams,
    offers: ModelsViewOffers,
  ) {
    super('models', { showCollapseAll: true });
    this.#modelChoices = modelChoices;
    this.#upstreams = upstreams;
    this.#offers = offers;
    this.#models = new ModelRows(modelChoices, connection.state);
    this.addDisposables(
      connection.onDidChange((state) => this.#refresh(state)),
      modelChoices.onDidChange(() => this.#refresh(connection.state)),
      offers.onDidChange(() => this.#refresh(connection.state)),
      upstreams.onDidChange(() => this.#refresh(connection.state)),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible && connection.state.phase === 'idle') void connection.refresh();
      }),
      { dispose: () => this.#progress.show(false) },
    );
    this.#refresh(connection.state);
  }

  /** The model of the selected row. */
  get selected(): Model | undefined {
    const [node] = this.selection.rows;
    return node?.kind === 'model' ? node.model : undefined;
  }

  /** The name of the selected upstream, whose models are not available. */
  get selectedUpstream(): string | undefined {
    const [node] = this.selection.rows;
    return node?.kind === 'upstream' ? node.name : undefined;
  }

  /** The models that are not hidden. */
  get shown(): readonly Model[] {
    return this.#models.shown;
  }

  getChildren(node?: ModelsNode): ModelsNode[] {
    return this.listChildren(node);
  }

  /** Adds the tooltip of a model. VS Code calls it when the pointer is over a row. */
  resolveTreeItem(item: vscode.TreeItem, node: ModelsNode): vscode.TreeItem {
    return node.kind === 'model' ? this.#models.addTooltip(item, node) : item;
  }

  #refresh(state: ConnectionState): void {
    setContextKey('hasGateway', state.gateway !== undefined);
    showViewDescription(this.view, state.gateway?.name);
    this.#progress.show(state.phase === 'loading');
    this.#models = new ModelRows(this.#modelChoices, state);
    const offer = state.models.length > 0 ? this.#offers.row : undefined;
    showViewMessage(this.view, offer?.reason);
    const unavailable = state.gateway?.kind === 'local' ? unavailableRows(this.#upstreams.state) : [];
    this.show([
      ...[...notices(state), ...(offer ? [createItemNotice(offer.item)] : [])].map(noticeTreeRow),
      ...unavailable,
      ...this.#models.treeRows,
    ]);
  }
}

function noticeTreeRow(node: Notice): TreeRow<Notice> {
  const { id = '', label, description, tooltip, command } = node.item;
  return { id, node, look: [label, description, tooltip, command?.command], item: () => node.item };
}

function notices(state: ConnectionState): Notice[] {
  if (state.gateway === undefined) return [];
  if (state.outage) return [createItemNotice(outageRow(state.outage, state.models.length > 0))];
  if (state.phase === 'failed' && state.error) return [failureRow(state.error, state.models.length > 0)];
  if (state.phase === 'idle') return [idleRow(state)];
  if (state.phase === 'stopped') return [stoppedRow()];
  if (state.models.length > 0) return state.omittedModelCount > 0 ? [omittedRow(state)] : [];
  if (state.phase === 'loading')
    return [createNotice(vscode.l10n.t('Loading models…'), { icon: 'loading~spin' })];
  return [
    createNotice(vscode.l10n.t('The gateway lists no models for this account'), {
      icon: 'info',
      tooltip: vscode.l10n.t(
        'The account may have no models yet, or the credential may belong to another one. Click to set another credential.',
      ),
      command: 'setCredential',
    }),
  ];
}

function createItemNotice(item: vscode.TreeItem): Notice {
  return { kind: 'notice', label: String(item.label), item };
}

function failureRow(error: GatewayError, hasOldModels: boolean): Notice {
  const message = failureMessage(error);
  const [action] = message.actions;
  const stale = hasOldModels ? vscode.l10n.t('showing the last list') : undefined;
  return createNotice(message.title, {
    icon: 'error',
    color: 'list.errorForeground',
    description: stale,
    tooltip: message.details,
    context: 'failure',
    command: (action && getActionCommand(action)) ?? 'checkConnection',
  });
}

function omittedRow({ models, omittedModelCount }: ConnectionState): Notice {
  return createNotice(vscode.l10n.t('{0} more are not listed', formatModelCount(omittedModelCount)), {
    icon: 'info',
    tooltip: vscode.l10n.t(
      'The gateway lists more models than can be shown. Only the first {0} are shown.',
      formatModelCount(models.length),
    ),
  });
}

function idleRow({ modelsReadAt }: ConnectionState): Notice {
  const label =
    modelsReadAt === undefined
      ? vscode.l10n.t('Load Models')
      : vscode.l10n.t('Last loaded {0}', formatShortTime(modelsReadAt));
  return createNotice(label, {
    icon: 'refresh',
    tooltip: vscode.l10n.t(
      'Nothing has been sent to the gateway from this window yet. Click to load its models.',
    ),
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

function createNotice(label: string, content: NoticeContent): Notice {
  const command = content.command && { command: commandName(content.command), title: label };
  return createItemNotice(createTreeItem({ ...content, id: 'notice', label, command }));
}

/** The first row of the Models view while the gateway cannot be reached. A click on the row or its button retries. */
function outageRow(outage: Outage, hasOldModels: boolean): vscode.TreeItem {
  const staleFacts = hasOldModels ? [vscode.l10n.t('showing the last list')] : [];
  return createTreeItem({
    id: 'notice',
    label: vscode.l10n.t('Not reachable'),
    icon: 'debug-disconnect',
    color: 'list.warningForeground',
    description: joinFacts([describeOutageStart(outage), ...staleFacts]),
    tooltip: `${describeOutage(outage)}\n${vscode.l10n.t('Click to try again.')}`,
    context: 'outage',
    command: { command: commandName('refreshModels'), title: vscode.l10n.t('Try Again') },
  });
}

/** The first row of the Models view while the local gateway is stopped. A click starts it. */
function stoppedRow(): Notice {
  return createNotice(vscode.l10n.t('Start the Local Gateway'), {
    icon: 'debug-start',
    description: vscode.l10n.t('stopped'),
    tooltip: vscode.l10n.t('It was stopped. Click to start it again.'),
    command: 'localGateway.start',
  });
}
