import * as vscode from 'vscode';
import type { FilterValues } from '../../../conversations/store/listing.ts';
import { type ListRow, pickFromList } from '../../kit/display/pickFromList.ts';
import { showViewMessage } from '../../kit/display/treeRows.ts';
import { readWorkspaceName } from './chatRows.ts';
import type { ChatFilter } from './loadedChats.ts';

/** A chosen filter of chats. At most one filter of each kind is active. */
export interface ChosenFilter {
  readonly kind: keyof ChatFilter;
  readonly value: string;
  /** The display name. */
  readonly name: string;
}

interface FilterRow extends ListRow {
  /** The active filters after the row is chosen. */
  readonly filters: readonly ChosenFilter[];
}

export function toChatFilter(chosen: readonly ChosenFilter[]): ChatFilter {
  return Object.fromEntries(chosen.map(({ kind, value }) => [kind, value]));
}

/** Shows the active filter above the rows of a view. */
export function showFilter<N>(view: vscode.TreeView<N>, chosen: readonly ChosenFilter[]): void {
  const names = chosen.map(({ name }) => name).join(' · ');
  showViewMessage(view, names === '' ? undefined : vscode.l10n.t('Showing only chats of {0}.', names));
}

/**
 * Lets the user choose a filter. The filter replaces an active filter of the same kind. Choosing an active filter
 * removes it.
 *
 * @returns the active filters; undefined if the user cancels
 */
export async function pickChatsFilter(
  choices: FilterValues,
  current: readonly ChosenFilter[],
): Promise<readonly ChosenFilter[] | undefined> {
  const rows = listFilters(choices).map(({ group, description, ...filter }): FilterRow => {
    const others = current.filter(({ kind }) => kind !== filter.kind);
    const isChosen = current.some(({ kind, value }) => kind === filter.kind && value === filter.value);
    return {
      group,
      label: filter.name,
      icon: isChosen ? 'check' : 'blank',
      description,
      filters: isChosen ? others : [...others, filter],
    };
  });
  const chosen = await pickFromList(() => rows, {
    title: vscode.l10n.t('Choose the chats to show'),
    placeHolder: vscode.l10n.t('A workspace, a gateway or a model'),
  });
  return chosen?.filters;
}

function listFilters({ workspaces, gateways, models }: FilterValues) {
  const { t } = vscode.l10n;
  return [
    ...workspaces.map((value) => ({
      kind: 'workspace' as const,
      value,
      name: readWorkspaceName(value),
      group: t('Workspace'),
      description: vscode.Uri.parse(value).fsPath,
    })),
    ...gateways.map(({ gateway, gatewayName }) => ({
      kind: 'gateway' as const,
      value: gateway,
      name: gatewayName,
      group: t('Gateway'),
      description: '',
    })),
    ...models.map((value) => ({
      kind: 'model' as const,
      value,
      name: value,
      group: t('Model'),
      description: '',
    })),
  ];
}
