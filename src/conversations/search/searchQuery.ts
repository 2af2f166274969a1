import { folded } from './foldedText.ts';

/** What somebody looks for. All of it must be true of a hit. */
export interface SearchQuery {
  /** Texts that a hit contains, folded. */
  readonly terms: readonly string[];
  readonly filters: SearchFilters;
  /** Filters that cannot be understood, in the order in which they stand. They filter nothing. */
  readonly problems: readonly FilterProblem[];
}

export interface SearchFilters {
  /** Parts of the names of models, in small letters. */
  readonly models: readonly string[];
  /** Parts of the URIs of workspaces, in small letters. */
  readonly workspaces: readonly string[];
  /** In milliseconds since 1970, exclusive. */
  readonly before: number | undefined;
  /** In milliseconds since 1970, inclusive. */
  readonly after: number | undefined;
  readonly hasImage: boolean;
  /** Whether reasoning and what tools were asked and told is searched, in place of questions and replies. */
  readonly inReasoning: boolean;
}

/** A filter with a value that it does not take. */
export interface FilterProblem {
  readonly filter: FilterName;
  readonly value: string;
}

export type FilterName = 'model' | 'before' | 'after' | 'workspace' | 'has' | 'in';

/** More terms, and longer ones, find nothing that fewer do not. */
const maxTerms = 20;
const maxTermLength = 200;
/** Of a longer text the beginning is understood. */
export const maxTyped = 10_000;

/** A word, or what stands in quotes, perhaps after the name of a filter. The last quote may still be typed. */
const piece =
  /(model|before|after|workspace|has|in):(?=\s|$)|(?:(model|before|after|workspace|has|in):)?(?:"([^"]*)"(?=\s|$)|"([^\s"][^"]*)$|(\S+))/giu;

/** Understands what was typed, whatever it is: what is no filter is looked for as it stands. */
export function parseQuery(typed: string): SearchQuery {
  const terms = new Set<string>();
  const filters = new Filters();
  for (const [, empty, filter, quoted, begun, word] of typed.slice(0, maxTyped).matchAll(piece)) {
    const value = quoted ?? begun ?? word ?? '';
    const name = (empty ?? filter)?.toLowerCase();
    if (name !== undefined) filters.add(name as FilterName, value);
    else terms.add(folded(value).trim().slice(0, maxTermLength));
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
  inReasoning = false;
  readonly problems: FilterProblem[] = [];

  add(filter: FilterName, value: string): void {
    if (!this.#take(filter, value)) this.problems.push({ filter, value });
  }

  /** @returns whether the filter takes this value */
  #take(filter: FilterName, value: string): boolean {
    const word = value.toLowerCase();
    switch (filter) {
      case 'model':
        return word !== '' && this.models.push(word) > 0;
      case 'workspace':
        return word !== '' && this.workspaces.push(word) > 0;
      case 'before':
        this.before = dayOf(value) ?? this.before;
        return dayOf(value) !== undefined;
      case 'after':
        this.after = dayOf(value) ?? this.after;
        return dayOf(value) !== undefined;
      case 'has':
        this.hasImage ||= word === 'image';
        return word === 'image';
      case 'in':
        this.inReasoning ||= word === 'reasoning';
        return word === 'reasoning';
      default:
        return filter satisfies never;
    }
  }
}

/** When a day, a month or a year begins, here, such as 2030-01-31, 2030-01 or 2030. */
function dayOf(value: string): number | undefined {
  const [, year, month = '1', day = '1'] = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/.exec(value) ?? [];
  if (year === undefined) return undefined;
  const date = new Date(Number(year), Number(month) - 1, Number(day));
  // The 31st of February is in March.
  const isDay = date.getMonth() === Number(month) - 1 && date.getDate() === Number(day);
  return isDay ? date.getTime() : undefined;
}
