import { isObject, parseJson } from '../../base/json.ts';
import { minEchoLength } from './echoes.ts';
import { wholeForms } from './secretForms.ts';

const redacted = '[redacted]';
/** Deeper values are no text of a reply. */
const maxDepth = 32;

/** A string in the JSON of an event, which the events after it may go on with. */
interface Leaf {
  /** The event, and the line in it. */
  readonly event: number;
  readonly line: number;
  /** Its place among the strings of the line. */
  readonly nth: number;
  readonly text: string;
  /** The path to it, with the index of its choice. */
  readonly place: number;
  /** The path to it without any index. */
  readonly member: number;
}

/** What is hidden of a leaf, in characters. */
interface Cover {
  readonly from: number;
  readonly to: number;
  /** Only the first piece of a credential leaves a mark. */
  readonly isFirst: boolean;
}

/**
 * Hides credentials that are split among the events of a stream, each of which holds too little of one to be found by
 * itself. Events that hold no part of one stay as they were written.
 *
 * @param events as they were written: lines of `data:`, or JSON documents
 */
export function hideAcross(events: readonly string[], secrets: readonly string[]): readonly string[] {
  const forms = secrets.filter(({ length }) => length >= minEchoLength).flatMap(wholeForms);
  if (forms.length === 0 || events.length === 0) return events;
  const covers = new Map<string, Cover[]>();
  const leaves = leavesOf(events);
  // Choices are written in turn, and parts one after the other.
  for (const groups of [
    Map.groupBy(leaves, ({ place }) => place),
    Map.groupBy(leaves, ({ member }) => member),
  ])
    for (const group of groups.values()) coverIn(group, forms, covers);
  return covers.size === 0 ? events : events.map((event, at) => withCovers(event, at, covers));
}

/** All strings, each with the positions that show which of them continue each other. */
function leavesOf(events: readonly string[]): readonly Leaf[] {
  const known = new Places();
  return events.flatMap((text, event) =>
    linesOf(text).flatMap(({ json }, line) => {
      const leaves: Leaf[] = [];
      visit(json, { known, place: 0, member: 0, depth: 0 }, ({ place, member }, string) => {
        leaves.push({ event, line, nth: leaves.length, text: string, place, member });
      });
      return leaves;
    }),
  );
}

function coverIn(leaves: readonly Leaf[], forms: readonly string[], covers: Map<string, Cover[]>): void {
  const joined = leaves.map(({ text }) => text).join('');
  for (const form of forms) {
    let [nth, start] = [0, 0];
    for (let at = joined.indexOf(form); at >= 0; at = joined.indexOf(form, at + form.length)) {
      const to = at + form.length;
      // Each leaf is passed once for each form, however often the credential is there.
      for (let leaf = leaves[nth]; leaf !== undefined && start < to; leaf = leaves[nth]) {
        const end = start + leaf.text.length;
        if (end > at) {
          const cover = {
            from: Math.max(0, at - start),
            to: Math.min(to, end) - start,
            isFirst: start <= at,
          };
          const known = covers.get(keyOf(leaf));
          if (known) known.push(cover);
          else covers.set(keyOf(leaf), [cover]);
        }
        if (end > to) break;
        nth++;
        start = end;
      }
    }
  }
}

function withCovers(text: string, event: number, covers: ReadonlyMap<string, readonly Cover[]>): string {
  return linesOf(text)
    .map(({ before, source, json }, line) => {
      let nth = -1;
      let isChanged = false;
      const shown = mapped(json, (string) => {
        nth++;
        const own = covers.get(keyOf({ event, line, nth }));
        isChanged ||= own !== undefined;
        return own ? covered(string, own) : string;
      });
      if (!isChanged) return before + source;
      return before + (typeof shown === 'string' && !source.startsWith('"') ? shown : JSON.stringify(shown));
    })
    .join('\n');
}

function covered(text: string, covers: readonly Cover[]): string {
  let shown = '';
  let end = 0;
  for (const { from, to, isFirst } of covers.toSorted((one, other) => one.from - other.from)) {
    if (to <= end) continue;
    shown += text.slice(end, from) + (isFirst ? redacted : '');
    end = Math.max(end, to);
  }
  return shown + text.slice(end);
}

function keyOf({ event, line, nth }: Pick<Leaf, 'event' | 'line' | 'nth'>): string {
  return `${event} ${line} ${nth}`;
}

interface Line {
  /** The name of the field of an event stream, or nothing. */
  readonly before: string;
  readonly source: string;
  /** The value of JSON; for anything else the text itself. */
  readonly json: unknown;
}

/** The lines of an event; a document of JSON, which may have several lines, as one. */
function linesOf(text: string): readonly Line[] {
  const whole = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (whole !== undefined) return [{ before: '', source: text, json: whole }];
  return text.split('\n').map((line) => {
    const [before = ''] = /^data: ?/.exec(line) ?? [];
    const source = line.slice(before.length);
    const isData = before !== '';
    return { before, source, json: isData ? (parseJson(source) ?? source) : undefined };
  });
}

/** Numbers of paths in JSON, because a path may be as long as the text. */
class Places {
  readonly #numbers = new Map<string, number>();

  /** The number of a place within another one; the outermost is 0. */
  within(place: number, name: string): number {
    const key = `${place}${name}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}

interface Visited {
  readonly known: Places;
  readonly place: number;
  readonly member: number;
  readonly depth: number;
}

/**
 * Calls `tell` with each string. Its place is the path to it, in which an object that tells its own index has that:
 * several choices are written in turn.
 */
function visit(
  value: unknown,
  { known, place, member, depth }: Visited,
  tell: (at: Pick<Leaf, 'place' | 'member'>, text: string) => void,
): void {
  if (typeof value === 'string') tell({ place, member }, value);
  if (depth === maxDepth) return;
  const within = (name: string, ofMember = name) => ({
    ...{ known, place: known.within(place, name), member: known.within(member, ofMember) },
    depth: depth + 1,
  });
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      // The elements of a document are the events of a reply.
      const index = isObject(each) && typeof each.index === 'number' ? each.index : depth === 0 ? '' : at;
      visit(each, within(`/${index}`, '/'), tell);
    }
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) visit(each, within(`.${name}`), tell);
  }
}

/** The value with each string replaced, in the order of `visit`. */
function mapped(value: unknown, replace: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return replace(value);
  if (depth === maxDepth) return value;
  if (Array.isArray(value)) return value.map((each) => mapped(each, replace, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, mapped(each, replace, depth + 1)]);
  return Object.fromEntries(entries);
}
