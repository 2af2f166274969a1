import * as vscode from 'vscode';
import type { SearchHit, Snippet } from '../../../conversations/search/searchHit.ts';
import { parseQuery } from '../../../conversations/search/searchQuery.ts';
import type { SearchAnswer } from '../../../conversations/worker/requestKinds.ts';
import { StorageError } from '../../../storage/sqlite/storageError.ts';
import { shortTime } from '../../kit/display/times.ts';
import type { FoundRow } from '../../kit/display/typedList.ts';
import { chatName } from '../list/chatRows.ts';
import { problemWords } from './filterRows.ts';

export interface HitRow extends FoundRow {
  readonly hit?: SearchHit;
}

/** The most hits that are shown. */
export const maxHits = 50;

export function titleOf(answer?: SearchAnswer): string {
  if (answer === undefined || answer === 'unavailable' || answer.searched === 1) {
    return vscode.l10n.t('Search Chats');
  }
  return vscode.l10n.t('Search Chats ({0} % Searched)', Math.floor(answer.searched * 100));
}

/** What is wrong with what is typed, and what was found. */
export function rowsOf(typed: string, answer: SearchAnswer): readonly HitRow[] {
  if (answer === 'unavailable') {
    return [rowOfWords(vscode.l10n.t('The SQLite of this VS Code has no full-text search.'), 'warning')];
  }
  const wrong = parseQuery(typed)
    .problems.flatMap((problem) => problemWords(problem) ?? [])
    .map((words) => rowOfWords(words, 'warning'));
  const hits = answer.hits.map((hit) => rowOf(hit, typed.trim()));
  return [...wrong, ...hits, ...endRows(typed, answer, wrong.length > 0)];
}

/** What is told after the hits. */
function endRows(
  typed: string,
  { hits, searched }: Exclude<SearchAnswer, 'unavailable'>,
  isWrong: boolean,
): readonly HitRow[] {
  if (hits.length === maxHits) {
    return [rowOfWords(vscode.l10n.t('These are the best {0}. Type more to find others.', maxHits), 'info')];
  }
  const isNothing =
    hits.length === 0 && searched === 1 && typed.trim() !== '' && !/:$/.test(typed) && !isWrong;
  return isNothing ? [rowOfWords(vscode.l10n.t('Nothing was found in any chat.'), 'info')] : [];
}

/** The only row where the search failed. */
export function failureRow(error: unknown): HitRow {
  return rowOfWords(failureWords(error), 'warning');
}

function failureWords(error: unknown): string {
  if (error instanceof StorageError && error.kind === 'full') {
    return vscode.l10n.t(
      'The disk is full, so the chats cannot be searched. Free some space, and type again.',
    );
  }
  return vscode.l10n.t('The chats cannot be searched now. Type again to retry; see the log for details.');
}

/** A row that only tells something. */
function rowOfWords(words: string, icon: string): HitRow {
  return { label: words, icon, onlyTells: true };
}

const icons: Readonly<Record<SearchHit['kind'], string>> = {
  title: 'comment-discussion',
  question: 'account',
  reply: 'sparkle',
  reasoning: 'lightbulb',
};

function rowOf(hit: SearchHit, typed: string): HitRow {
  return {
    label: chatName({ title: hit.title, beginning: '' }),
    description: `${kindName(hit.kind)} · ${shortTime(hit.at)}`,
    detail: markedText(hit.snippet, typed),
    icon: icons[hit.kind],
    hit,
  };
}

function kindName(kind: SearchHit['kind']): string {
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

/** The list itself marks what is typed; what is found by other letters, or by several words, stands in quotes. */
function markedText(snippet: Snippet, typed: string): string {
  const { text } = snippet;
  const marks = joinedMarks(snippet);
  const isMarkedByList = marks.every(
    ([begin, end]) => text.slice(begin, end).toLowerCase() === typed.toLowerCase(),
  );
  if (isMarkedByList) return text;
  return marks.reduceRight(
    (marked, [begin, end]) => `${marked.slice(0, begin)}«${marked.slice(begin, end)}»${marked.slice(end)}`,
    text,
  );
}

/** Words that were found beside each other are one. */
function joinedMarks({ text, marks }: Snippet): Snippet['marks'] {
  const joined: (readonly [number, number])[] = [];
  for (const mark of marks) {
    const last = joined.at(-1);
    if (last && text.slice(last[1], mark[0]).trim() === '') joined.splice(-1, 1, [last[0], mark[1]]);
    else joined.push(mark);
  }
  return joined;
}
