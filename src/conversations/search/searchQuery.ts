import { foldText } from './foldedText.ts';

/** A parsed search query. A hit satisfies all of its parts. */
export interface SearchQuery {
  /** Texts that a hit contains, folded. */
  readonly terms: readonly string[];
  readonly filters: SearchFilters;
  /** Invalid filters, in order. They are ignored. */
  readonly problems: readonly FilterProblem[];
}

export interface SearchFilters {
  /** Parts of model names, in lower case. */
  readonly models: readonly string[];
  /** Parts of workspace URIs, in lower case. */
  readonly workspaces: readonly string[];
  /** In milliseconds since 1970, exclusive. */
  readonly before: number | undefined;
  /** In milliseconds since 1970, inclusive. */
  readonly after: number | undefined;
  readonly hasImage: boolean;
  /** Whether reasoning and tool calls are searched instead of questions and replies. */
  readonly searchesReasoning: boolean;
}

/** A filter with an invalid value. */
export interface FilterProblem {
  readonly filter: FilterName;
  readonly value: string;
}

export type FilterName = 'model' | 'before' | 'after' | 'workspace' | 'has' | 'in';

/** Limits of the query. Further or longer terms could only narrow the results. */
const maxTerms = 20;
const maxTermLength = 200;
/** In UTF-16 units; the rest of a longer query is ignored. */
export const maxQueryLength = 10_000;

/** A word or a quoted text, optionally after a filter name. The last quote may be incomplete. */
const queryPattern =
  /(model|before|after|workspace|has|in):(?=\s|$)|(?:(model|before|after|workspace|has|in):)?(?:"([^"]*)"(?=\s|$)|"([^\s"][^"]*)$|(\S+))/giu;

/** Parses any typed text. An unknown filter is a search term. */
export function parseQuery(text: string): SearchQuery {
  const terms = new Set<string>();
  const filters = new Filters();
  for (const [, empty, filter, quoted, unclosed, word] of text
    .slice(0, maxQueryLength)
    .matchAll(queryPattern)) {
    const value = quoted ?? unclosed ?? word ?? '';
    const name = (empty ?? filter)?.toLowerCase();
    if (name !== undefined) filters.add(name as FilterName, value);
    else terms.add(foldText(value).trim().slice(0, maxTermLength));
  }
  terms.delete('');
  return { terms: [...terms].slice(0, maxTerms), filters, problems: filters.problems };
}

class Filters implements SearchFilters {
  readonly models: string[] = [];
  readonly workspaces: string[] = [];
  before: number | undefined;
  after: number | undefined;
  hasImage = false;
  searchesReasoning = false;
  readonly problems: FilterProblem[] = [];

  add(filter: FilterName, value: string): void {
    if (!this.#accept(filter, value)) this.problems.push({ filter, value });
  }

  /** @returns whether the filter accepts this value */
  #accept(filter: FilterName, value: string): boolean {
    const word = value.toLowerCase();
    switch (filter) {
      case 'model':
        return word !== '' && this.models.push(word) > 0;
      case 'workspace':
        return word !== '' && this.workspaces.push(word) > 0;
      case 'before':
      case 'after': {
        const day = parseDay(value);
        this[filter] = day ?? this[filter];
        return day !== undefined;
      }
      case 'has':
        this.hasImage ||= word === 'image';
        return word === 'image';
      case 'in':
        this.searchesReasoning ||= word === 'reasoning';
        return word === 'reasoning';
      default:
        return filter satisfies never;
    }
  }
}

/** Returns the start of a day, month or year in local time, such as 2030-01-31, 2030-01 or 2030. */
function parseDay(value: string): number | undefined {
  const [, year, month = '1', day = '1'] = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(value) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // `Date` converts the 31st of February to a day in March.
  const isDay = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
  return isDay ? date.getTime() : undefined;
}
