import * as vscode from 'vscode';
import { formatLocalDate } from '../../../base/localDate.ts';
import type { SearchHit, Snippet } from '../../../conversations/search/searchHit.ts';
import {
  type FilterName,
  type FilterProblem,
  parseQuery,
} from '../../../conversations/search/searchQuery.ts';
import type { FilterValues } from '../../../conversations/store/listing.ts';
import type { SearchResponse } from '../../../conversations/worker/conversationWorker.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import type { FoundRow } from '../../kit/display/pickAsTyped.ts';
import { formatShortTime } from '../../kit/display/timeWords.ts';
import { formatChatName, readWorkspaceName } from '../list/chatRows.ts';

/** A row of the search results: a hit or a message. */
export interface HitRow extends FoundRow {
  readonly hit?: SearchHit;
}

/** The maximum number of shown hits. */
export const maxHits = 50;

/** Creates the title of the search list, with the progress of the search. */
export function createSearchTitle(result?: SearchResponse): string {
  if (result === undefined || result === 'unavailable' || result.searched === 1) {
    return vscode.l10n.t('Search Chats');
  }
  return vscode.l10n.t('Search Chats ({0} % Searched)', Math.floor(result.searched * 100));
}

/** Creates the rows of a result: the errors in the typed filters, the hits, and a message after them. */
export function createSearchRows(typed: string, result: SearchResponse): readonly HitRow[] {
  if (result === 'unavailable') {
    return [
      createMessageRow(vscode.l10n.t('The SQLite of this VS Code has no full-text search.'), 'warning'),
    ];
  }
  const filterErrors = parseQuery(typed)
    .problems.flatMap((problem) => describeFilterProblem(problem) ?? [])
    .map((message) => createMessageRow(message, 'warning'));
  const hits = result.hits.map((hit) => createHitRow(hit, typed.trim()));
  return [...filterErrors, ...hits, ...createEndRows(typed, result, filterErrors.length > 0)];
}

/** Creates the message after the hits; empty if no message is needed. */
function createEndRows(
  typed: string,
  { hits, searched }: Exclude<SearchResponse, 'unavailable'>,
  hasFilterErrors: boolean,
): readonly HitRow[] {
  if (hits.length === maxHits) {
    return [
      createMessageRow(
        vscode.l10n.t('Showing the {0} best matches. Type more to find others.', maxHits),
        'info',
      ),
    ];
  }
  // Text that ends with a colon is a filter whose value is not typed yet.
  const isComplete = searched === 1 && typed.trim() !== '' && !typed.endsWith(':') && !hasFilterErrors;
  return isComplete && hits.length === 0
    ? [createMessageRow(vscode.l10n.t('No results found in any chat.'), 'info')]
    : [];
}

/** Creates the row that reports that the search failed. */
export function createFailureRow(error: unknown): HitRow {
  const isDiskFull = error instanceof StorageError && error.kind === 'full';
  const message = isDiskFull
    ? vscode.l10n.t('The disk is full, so the chats cannot be searched. Free some space, then type again.')
    : vscode.l10n.t('The chats cannot be searched now. Type again to retry; see the log for details.');
  return createMessageRow(message, 'warning');
}

/** Creates a row that only shows a message. */
function createMessageRow(message: string, icon: string): HitRow {
  return { label: message, icon, isMessage: true };
}

const icons: Readonly<Record<SearchHit['kind'], string>> = {
  title: 'comment-discussion',
  question: 'account',
  reply: 'sparkle',
  reasoning: 'lightbulb',
};

function createHitRow(hit: SearchHit, typed: string): HitRow {
  return {
    label: formatChatName({ title: hit.title, beginning: '' }),
    description: `${nameKind(hit.kind)} · ${formatShortTime(hit.at)}`,
    detail: markMatches(hit.snippet, typed),
    icon: icons[hit.kind],
    hit,
  };
}

function nameKind(kind: SearchHit['kind']): string {
  const { t } = vscode.l10n;
  switch (kind) {
    case 'title':
      return t('Title');
    case 'question':
      return t('Question');
    case 'reply':
      return t('Reply');
    case 'reasoning':
      return t('Reasoning');
  }
}

/**
 * Encloses the matches in the text of a hit in guillemets, unless all matches equal the typed text, because VS Code's
 * list highlights them.
 */
function markMatches(snippet: Snippet, typed: string): string {
  const { text } = snippet;
  const marks = joinMarks(snippet);
  const isMarkedByList = marks.every(
    ([begin, end]) => text.slice(begin, end).toLowerCase() === typed.toLowerCase(),
  );
  if (isMarkedByList) return text;
  return marks.reduceRight(
    (marked, [begin, end]) => `${marked.slice(0, begin)}«${marked.slice(begin, end)}»${marked.slice(end)}`,
    text,
  );
}

/** Returns the marks of a snippet. Marks of adjacent words are joined. */
function joinMarks({ text, marks }: Snippet): Snippet['marks'] {
  const joined: (readonly [number, number])[] = [];
  for (const mark of marks) {
    const last = joined.at(-1);
    if (last && text.slice(last[1], mark[0]).trim() === '') joined.splice(-1, 1, [last[0], mark[1]]);
    else joined.push(mark);
  }
  return joined;
}

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

/** Creates a row for each possible value of the filter at the end of the typed text. */
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
function describeFilterProblem({ filter, value }: FilterProblem): string | undefined {
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
