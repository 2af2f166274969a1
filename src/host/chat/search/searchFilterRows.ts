import * as vscode from 'vscode';
import { formatLocalDate } from '../../../base/localDate.ts';
import type { FilterName, FilterProblem } from '../../../conversations/search/searchQuery.ts';
import type { FilterValues } from '../../../conversations/store/listing.ts';
import type { FoundRow } from '../../kit/display/pickAsTyped.ts';
import { readWorkspaceName } from '../list/chatRows.ts';

const maxListedValues = 20;

/** Creates the rows for all filters. Each row appends its filter to the typed text. */
export function createFilterRows(typed: string): readonly FoundRow[] {
  const { t } = vscode.l10n;
  const rows: readonly (readonly [FilterName, string, string])[] = [
    ['model', '', t('Replies from a model, and chats that used it')],
    ['workspace', '', t('Chats of a workspace')],
    ['after', '', t('Written on a date or later')],
    ['before', '', t('Written before a date')],
    ['has', 'image', t('With a picture')],
    ['in', 'reasoning', t('In reasoning and tool calls instead of questions and replies')],
  ];
  const before = typed.trim() === '' ? '' : `${typed.trimEnd()} `;
  return rows.map(([filter, value, description]) => ({
    label: `${filter}:${value}`,
    description,
    icon: 'filter',
    newText: `${before}${filter}:${value}${value === '' ? '' : ' '}`,
  }));
}

/** Creates the rows with possible values for the filter at the end of the typed text. */
export function createFilterValueRows(typed: string, choices: FilterValues | undefined): readonly FoundRow[] {
  const [match = '', filter] = /(?<=^|\s)(model|workspace|before|after|has|in):$/i.exec(typed) ?? [];
  const before = typed.slice(0, typed.length - match.length);
  return listFilterValues(filter?.toLowerCase() as FilterName | undefined, choices)
    .slice(0, maxListedValues)
    .map(({ value, description }) => ({
      label: `${filter}:${quoteIfNeeded(value)}`,
      description,
      icon: 'filter',
      newText: `${before}${filter}:${quoteIfNeeded(value)} `,
    }));
}

interface FilterValue {
  readonly value: string;
  readonly description: string;
}

function listFilterValues(
  filter: FilterName | undefined,
  choices: FilterValues | undefined,
): readonly FilterValue[] {
  const { t } = vscode.l10n;
  const { models = [], workspaces = [] } = choices ?? {};
  switch (filter) {
    case 'model':
      return models.map((value) => ({ value, description: '' }));
    case 'workspace':
      return workspaces.map((uri) => ({
        value: readWorkspaceName(uri),
        description: vscode.Uri.parse(uri).fsPath,
      }));
    case 'before':
    case 'after':
      return [
        { value: formatDaysAgo(0), description: t('Today') },
        { value: formatDaysAgo(7), description: t('A week ago') },
        { value: formatDaysAgo(0).slice(0, 7), description: t('This month') },
        { value: formatDaysAgo(0).slice(0, 4), description: t('This year') },
      ];
    case 'has':
      return [{ value: 'image', description: '' }];
    case 'in':
      return [{ value: 'reasoning', description: '' }];
    case undefined:
      return [];
  }
}

/** Formats the local date a number of days ago, such as 2030-01-31. */
function formatDaysAgo(days: number): string {
  const day = new Date();
  day.setDate(day.getDate() - days);
  return formatLocalDate(day);
}

function quoteIfNeeded(value: string): string {
  return /\s/.test(value) ? `"${value}"` : value;
}

/** Describes an invalid value of a filter; undefined while the value is still empty. */
export function describeFilterProblem({ filter, value }: FilterProblem): string | undefined {
  if (value === '') return undefined;
  switch (filter) {
    case 'before':
    case 'after':
      return vscode.l10n.t(
        '{0}: requires a date such as 2030-01-31, a month such as 2030-01, or a year, not “{1}”.',
        filter,
        value,
      );
    case 'has':
      return vscode.l10n.t('has: supports only image, not “{0}”.', value);
    case 'in':
      return vscode.l10n.t('in: supports only reasoning, not “{0}”.', value);
    case 'model':
    case 'workspace':
      return undefined;
    default:
      return filter satisfies never;
  }
}
