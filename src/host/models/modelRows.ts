import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { findModelUses, type ModelUse } from '../../wire/apis/models/modelUse.ts';
import { textFormat } from '../../wire/apis/textFormats.ts';
import type { ConnectionState } from '../connection/connection.ts';
import { formatDuration } from '../kit/display/timeWords.ts';
import type { TreeRow } from '../kit/display/treeRowCache.ts';
import { addTooltip, createTreeItem } from '../kit/display/treeRows.ts';
import { describeStoredProblem } from '../kit/explanationWords.ts';
import { commandName } from '../kit/manifest/contributions.ts';
import type { ModelChoices } from './modelChoices.ts';
import { allFacts, shortFacts } from './modelDescription.ts';
import { longListLength, type ModelGroup, modelGroups, rowLabels } from './modelGroups.ts';
import type { ModelVerdict } from './modelVerdicts.ts';

export type GroupRow = { readonly kind: 'group'; readonly group: ModelGroup };
/** The row of a model in a group. */
export type ModelRow = {
  readonly kind: 'model';
  readonly model: Model;
  readonly label: string;
  /** Part of the row's identity: a model may be in several groups. */
  readonly group: string;
};

/** Creates the rows of a gateway's models, from the state at construction. */
export class ModelRows {
  readonly #groups: readonly GroupRow[];
  readonly #shownModels: readonly Model[];
  readonly #uses: (model: Model) => readonly ModelUse[];
  readonly #inVsCodeChat: (model: Model) => boolean;
  readonly #pinned: ReadonlySet<string>;
  readonly #verdicts: ReadonlyMap<string, ModelVerdict>;

  constructor(modelChoices: ModelChoices, { gateway, models }: Pick<ConnectionState, 'gateway' | 'models'>) {
    const pinned = gateway ? modelChoices.marks.pinned(gateway) : [];
    const recent = gateway ? modelChoices.memory.recent(gateway) : [];
    this.#verdicts = gateway ? modelChoices.verdicts.of(gateway) : new Map();
    const isHidden = ({ id }: Model) => modelChoices.verdicts.hidesFailing && this.#verdicts.get(id)?.failure;
    const { shown = [], hidden = [] } = Object.groupBy(models, (model) =>
      isHidden(model) ? 'hidden' : 'shown',
    );
    const groups: readonly ModelGroup[] = [
      ...modelGroups(shown, { pinned, recent }),
      ...(hidden.length > 0 ? [{ kind: 'hidden', name: '', models: hidden } as const] : []),
    ];
    this.#groups = groups.map((group) => ({ kind: 'group', group }));
    this.#shownModels = shown;
    this.#uses = gateway ? modelChoices.usesLookup(gateway) : (model) => findModelUses(model);
    this.#inVsCodeChat = gateway ? modelChoices.vsCodeChatLookup(gateway) : () => false;
    this.#pinned = new Set(pinned);
  }

  /** The models that are not hidden. */
  get shown(): readonly Model[] {
    return this.#shownModels;
  }

  get treeRows(): readonly TreeRow<GroupRow | ModelRow>[] {
    return this.#groups.map((row) => ({
      id: groupId(row.group),
      node: row,
      look: [row.group.models.length, this.#isCollapsed(row.group)],
      item: () => this.#groupItem(row),
      children: this.#modelTreeRows(row),
    }));
  }

  #modelTreeRows(row: GroupRow): readonly TreeRow<ModelRow>[] {
    return this.#modelRows(row).map((row) => ({
      id: rowId(row.group, row.model.id),
      node: row,
      look: [
        row.label,
        row.model,
        this.#uses(row.model),
        this.#inVsCodeChat(row.model),
        this.#pinned.has(row.model.id),
        this.#verdicts.get(row.model.id),
      ],
      item: () => this.#modelItem(row),
    }));
  }

  #modelRows({ group }: GroupRow): readonly ModelRow[] {
    const labels = rowLabels(group.models);
    const id = groupId(group);
    return group.models.map((model) => ({
      kind: 'model',
      model,
      label: labels.get(model) ?? model.id,
      group: id,
    }));
  }

  #groupItem({ group }: GroupRow): vscode.TreeItem {
    const { kind, models } = group;
    return createTreeItem({
      id: groupId(group),
      label: groupTitle(group),
      description: isPart(group) || kind === 'hidden' ? String(models.length) : undefined,
      context: kind,
      children: this.#isCollapsed(group) ? 'collapsed' : 'expanded',
    });
  }

  /** The groups of a long list are collapsed at first, so that all of them are visible. */
  #isCollapsed(group: ModelGroup): boolean {
    if (group.kind === 'hidden') return true;
    const parts = this.#groups.filter((row) => isPart(row.group)).length;
    return isPart(group) && parts > 1 && this.#shownModels.length > longListLength;
  }

  #modelItem({ model, label, group }: ModelRow): vscode.TreeItem {
    const uses = this.#uses(model);
    const verdict = this.#verdicts.get(model.id);
    const facts = [verdict && shortVerdict(verdict), shortFacts(model, uses)].filter(Boolean).join(' · ');
    return createTreeItem({
      id: rowId(group, model.id),
      label,
      icon: verdict?.failure ? 'error' : useIcon(uses),
      color: verdict?.failure && 'list.errorForeground',
      description: facts || undefined,
      context: [
        'model',
        uses.includes('chat') ? 'for-chats' : 'not-for-chats',
        ...(uses.includes('video') ? ['for-videos'] : []),
        this.#inVsCodeChat(model) ? 'in-vscode-chat' : 'not-in-vscode-chat',
        this.#pinned.has(model.id) ? 'pinned' : 'unpinned',
      ].join(' '),
      command: {
        command: commandName('models.openSelected'),
        title: clickTitle(uses),
      },
    });
  }

  /** Adds the tooltip, which VS Code requests when the pointer is over the row. */
  addTooltip(item: vscode.TreeItem, { model }: ModelRow): vscode.TreeItem {
    const verdict = this.#verdicts.get(model.id);
    const facts = allFacts(model, this.#uses(model));
    return addTooltip(item, verdict ? `${facts}\n\n${verdictLines(verdict)}` : facts);
  }
}

/** The page for models with these uses; undefined if there is none. */
export function choosePage(uses: readonly ModelUse[]): 'chat' | 'generate' | undefined {
  if (uses.includes('chat')) return 'chat';
  return uses.includes('video') ? 'generate' : undefined;
}

function clickTitle(uses: readonly ModelUse[]): string {
  switch (choosePage(uses)) {
    case 'chat':
      return vscode.l10n.t('New Chat');
    case 'generate':
      return vscode.l10n.t('New Video');
    default:
      return vscode.l10n.t('Show Details');
  }
}

/** Whether a group is by owner or by family. Together, these groups contain all models. */
function isPart({ kind }: ModelGroup): boolean {
  return kind === 'owner' || kind === 'family';
}

/** The title of a group: its name, if it is a group by owner or by family. */
export function groupTitle({ kind, name }: ModelGroup): string {
  if (kind === 'pinned') return vscode.l10n.t('Pinned');
  if (kind === 'recent') return vscode.l10n.t('Recent');
  if (kind === 'hidden') return vscode.l10n.t('Hidden: did not reply');
  return name || (kind === 'family' ? vscode.l10n.t('Others') : vscode.l10n.t('No owner'));
}

function groupId({ kind, name }: ModelGroup): string {
  return rowId(kind, name);
}

/** Joins words into a row id, which differs for different words: VS Code does not show a list with two equal ids. */
function rowId(...words: readonly string[]): string {
  return JSON.stringify(words);
}

function useIcon([use]: readonly ModelUse[]): string {
  const icons: Record<ModelUse, string> = {
    chat: 'chip',
    video: 'device-camera-video',
    image: 'file-media',
    audio: 'unmute',
    transcription: 'mic',
    embedding: 'symbol-array',
    rerank: 'list-ordered',
    moderation: 'shield',
    other: 'circle-outline',
  };
  return icons[use ?? 'other'];
}

/** The result of verifying a model, in a few words. */
function shortVerdict({ ms, onlyFormat, failure }: ModelVerdict): string {
  if (failure) return `✗ ${vscode.l10n.t(failure.title)}`;
  const success = `✓ ${formatDuration(ms)}`;
  if (onlyFormat === undefined) return success;
  return `${success} · ${vscode.l10n.t('only with {0}', textFormat(onlyFormat).label)}`;
}

/** All details of a verdict, one per line. */
function verdictLines({ at, ms, requestId, ...verdict }: ModelVerdict): string {
  const { t } = vscode.l10n;
  const { failure, onlyFormat, gatewayRequestId } = verdict;
  const when = new Date(at).toLocaleString(vscode.env.language);
  return [
    failure ? t('Verified on {0}: no reply', when) : t('Verified on {0}: {1}', when, formatDuration(ms)),
    failure && describeStoredProblem({ ...failure, message: failure.title }),
    onlyFormat && t('It supports only the API format {0}', textFormat(onlyFormat).label),
    requestId && t('Request ID: {0}', requestId),
    gatewayRequestId && t('The gateway’s request ID: {0}', gatewayRequestId),
  ]
    .filter(Boolean)
    .join('\n');
}
