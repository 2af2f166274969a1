import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { type ModelUse, usesOf } from '../../wire/apis/models/modelUse.ts';
import { textFormat } from '../../wire/apis/textFormats.ts';
import type { ConnectionState } from '../connection/connection.ts';
import type { TreeRow } from '../kit/display/knownRows.ts';
import { addTooltip, treeItem } from '../kit/display/rows.ts';
import { duration } from '../kit/display/times.ts';
import { problemWords } from '../kit/explanationWords.ts';
import { commandName } from '../kit/manifest/contributions.ts';
import { allFacts, shortFacts } from './modelDescription.ts';
import { longList, type ModelGroup, modelGroups, rowLabels } from './modelGroups.ts';
import type { ModelNotes } from './modelNotes.ts';
import type { ModelVerdict } from './modelVerdicts.ts';

/** The row of a group of models, and of a model in a group. */
export type GroupRow = { readonly kind: 'group'; readonly group: ModelGroup };
export type ModelRow = {
  readonly kind: 'model';
  readonly model: Model;
  readonly label: string;
  /** Part of the row's identity: a model may stand in several groups. */
  readonly group: string;
};

/** The rows of a gateway's models, as things stand when it is made. */
export class ModelRows {
  readonly groups: readonly GroupRow[];
  readonly #models: readonly Model[];
  readonly #uses: (model: Model) => readonly ModelUse[];
  readonly #inVsCodeChat: (model: Model) => boolean;
  readonly #pinned: ReadonlySet<string>;
  readonly #verdicts: ReadonlyMap<string, ModelVerdict>;

  constructor(notes: ModelNotes, { gateway, models }: Pick<ConnectionState, 'gateway' | 'models'>) {
    const pinned = gateway ? notes.marks.pinned(gateway) : [];
    const recent = gateway ? notes.memory.recent(gateway) : [];
    this.#verdicts = gateway ? notes.verdicts.of(gateway) : new Map();
    const isHidden = ({ id }: Model) => notes.verdicts.hidesFailing && this.#verdicts.get(id)?.failure;
    const { shown = [], hidden = [] } = Object.groupBy(models, (model) =>
      isHidden(model) ? 'hidden' : 'shown',
    );
    const groups: readonly ModelGroup[] = [
      ...modelGroups(shown, { pinned, recent }),
      ...(hidden.length > 0 ? [{ kind: 'hidden', name: '', models: hidden } as const] : []),
    ];
    this.groups = groups.map((group) => ({ kind: 'group', group }));
    this.#models = shown;
    this.#uses = gateway ? notes.usesAt(gateway) : (model) => usesOf(model);
    this.#inVsCodeChat = gateway ? notes.inVsCodeChatAt(gateway) : () => false;
    this.#pinned = new Set(pinned);
  }

  /** The models that are not hidden. */
  get shown(): readonly Model[] {
    return this.#models;
  }

  /** The rows with the lines they are drawn by. */
  get lines(): readonly TreeRow<GroupRow | ModelRow>[] {
    return this.groups.map((row) => ({
      id: groupId(row.group),
      node: row,
      look: [row.group.models.length, this.#isClosed(row.group)],
      item: () => this.#groupItem(row),
      children: this.#modelLines(row),
    }));
  }

  #modelLines(row: GroupRow): readonly TreeRow<ModelRow>[] {
    return this.#of(row).map((row) => ({
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

  #of({ group }: GroupRow): readonly ModelRow[] {
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
    return treeItem({
      id: groupId(group),
      label: groupTitle(group),
      description: isPart(group) || kind === 'hidden' ? String(models.length) : undefined,
      context: kind,
      children: this.#isClosed(group) ? 'collapsed' : 'expanded',
    });
  }

  /** The parts of a long list begin closed, so that they are seen together. */
  #isClosed(group: ModelGroup): boolean {
    if (group.kind === 'hidden') return true;
    const parts = this.groups.filter((row) => isPart(row.group)).length;
    return isPart(group) && parts > 1 && this.#models.length > longList;
  }

  #modelItem({ model, label, group }: ModelRow): vscode.TreeItem {
    const uses = this.#uses(model);
    const verdict = this.#verdicts.get(model.id);
    const facts = [verdict && shortVerdict(verdict), shortFacts(model, uses)].filter(Boolean).join(' · ');
    return treeItem({
      id: rowId(group, model.id),
      label,
      icon: verdict?.failure ? 'error' : iconOf(uses),
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
        title: openingTitle(uses),
      },
    });
  }

  /** Adds the tooltip, which VS Code asks for when the row is pointed at. */
  addTooltip(item: vscode.TreeItem, { model }: ModelRow): vscode.TreeItem {
    const verdict = this.#verdicts.get(model.id);
    const facts = allFacts(model, this.#uses(model));
    return addTooltip(item, verdict ? `${facts}\n\n${verdictLines(verdict)}` : facts);
  }
}

/** The page for a model by what it is for; undefined when it is for neither. */
export function pageOf(uses: readonly ModelUse[]): 'chat' | 'generate' | undefined {
  if (uses.includes('chat')) return 'chat';
  return uses.includes('video') ? 'generate' : undefined;
}

function openingTitle(uses: readonly ModelUse[]): string {
  switch (pageOf(uses)) {
    case 'chat':
      return vscode.l10n.t('New Chat');
    case 'generate':
      return vscode.l10n.t('New Video');
    default:
      return vscode.l10n.t('Show Details');
  }
}

/** Whether a group is one of those that together hold all models. */
function isPart({ kind }: ModelGroup): boolean {
  return kind === 'owner' || kind === 'family';
}

/** The title of a group: what its models have in common, else who owns them. */
export function groupTitle({ kind, name }: ModelGroup): string {
  if (kind === 'pinned') return vscode.l10n.t('Pinned');
  if (kind === 'recent') return vscode.l10n.t('Recent');
  if (kind === 'hidden') return vscode.l10n.t('Hidden: did not answer');
  return name || (kind === 'family' ? vscode.l10n.t('Others') : vscode.l10n.t('No owner'));
}

function groupId({ kind, name }: ModelGroup): string {
  return rowId(kind, name);
}

/** Different for any other words: VS Code shows no list in which two rows are the same. */
function rowId(...words: readonly string[]): string {
  return JSON.stringify(words);
}

function iconOf([use]: readonly ModelUse[]): string {
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

/** What came of asking a model, at a glance. */
function shortVerdict({ ms, answersOnlyIn, failure }: ModelVerdict): string {
  if (failure) return `✗ ${vscode.l10n.t(failure.title)}`;
  const answered = `✓ ${duration(ms)}`;
  if (answersOnlyIn === undefined) return answered;
  return `${answered} · ${vscode.l10n.t('only by {0}', textFormat(answersOnlyIn).label)}`;
}

/** All that is known of it, line by line. */
function verdictLines({ at, ms, requestId, ...verdict }: ModelVerdict): string {
  const { t } = vscode.l10n;
  const { failure, answersOnlyIn, gatewayRequestId } = verdict;
  const when = new Date(at).toLocaleString(vscode.env.language);
  return [
    failure ? t('Verified on {0}: it did not answer', when) : t('Verified on {0}: {1}', when, duration(ms)),
    failure && problemWords({ ...failure, message: failure.title }),
    answersOnlyIn && t('It answers only in the format {0}', textFormat(answersOnlyIn).label),
    requestId && t('Request ID: {0}', requestId),
    gatewayRequestId && t('The gateway’s request ID: {0}', gatewayRequestId),
  ]
    .filter(Boolean)
    .join('\n');
}
