import { isObject, parseJson } from '../../base/json.ts';
import { minEchoLength } from './echoFilter.ts';
import { listCompleteForms, redacted } from './secretForms.ts';

/** Deeper values are not text of a reply. */
const maxDepth = 32;

/** A string in the JSON of an event. Later events may continue it. */
interface Leaf {
  /** The index of the event, and of the line in it. */
  readonly event: number;
  readonly line: number;
  /** Its index among the strings of the line. */
  readonly nth: number;
  readonly text: string;
  /** The path to it, with the index of its choice. */
  readonly path: number;
  /** The path to it without any index. */
  readonly member: number;
}

/** The range of a leaf that is hidden, in characters. */
interface Cover {
  readonly from: number;
  readonly to: number;
  /** Only the first piece of a credential is replaced by a mark. */
  readonly isFirst: boolean;
}

/**
 * Hides credentials that are split among the events of a stream, so that no single event contains enough of them to
 * be found. Events without a part of a credential are returned unchanged.
 *
 * @param events raw events: lines of `data:`, or JSON documents
 */
export function hideAcross(events: readonly string[], secrets: readonly string[]): readonly string[] {
  const forms = secrets.filter(({ length }) => length >= minEchoLength).flatMap(listCompleteForms);
  if (forms.length === 0 || events.length === 0) return events;
  const covers = new Map<string, Cover[]>();
  const leaves = listLeaves(events);
  // The path separates choices whose events alternate. The member joins consecutive parts of one choice.
  for (const groups of [Map.groupBy(leaves, ({ path }) => path), Map.groupBy(leaves, ({ member }) => member)])
    for (const group of groups.values()) findCovers(group, forms, covers);
  return covers.size === 0 ? events : events.map((event, at) => hideCovers(event, at, covers));
}

/** All strings, each with the positions that show which of them continue each other. */
function listLeaves(events: readonly string[]): readonly Leaf[] {
  const paths = new PathNumbers();
  return events.flatMap((text, event) =>
    splitLines(text).flatMap(({ json }, line) => {
      const leaves: Leaf[] = [];
      visit(json, { paths, path: 0, member: 0, depth: 0 }, ({ path, member }, string) => {
        leaves.push({ event, line, nth: leaves.length, text: string, path, member });
      });
      return leaves;
    }),
  );
}

function findCovers(leaves: readonly Leaf[], forms: readonly string[], covers: Map<string, Cover[]>): void {
  const joinedText = leaves.map(({ text }) => text).join('');
  for (const form of forms) {
    let [nth, start] = [0, 0];
    for (let at = joinedText.indexOf(form); at >= 0; at = joinedText.indexOf(form, at + form.length)) {
      const to = at + form.length;
      // Each leaf is visited once for each form, even if the credential occurs often.
      for (let leaf = leaves[nth]; leaf !== undefined && start < to; leaf = leaves[nth]) {
        const end = start + leaf.text.length;
        if (end > at) {
          const cover = {
            from: Math.max(0, at - start),
            to: Math.min(to, end) - start,
            isFirst: start <= at,
          };
          const existing = covers.get(createKey(leaf));
          if (existing) existing.push(cover);
          else covers.set(createKey(leaf), [cover]);
        }
        if (end > to) break;
        nth++;
        start = end;
      }
    }
  }
}

function hideCovers(text: string, event: number, covers: ReadonlyMap<string, readonly Cover[]>): string {
  return splitLines(text)
    .map(({ before, source, json }, line) => {
      let nth = -1;
      let isChanged = false;
      const newJson = mapStrings(json, (string) => {
        nth++;
        const own = covers.get(createKey({ event, line, nth }));
        isChanged ||= own !== undefined;
        return own ? hideRanges(string, own) : string;
      });
      if (!isChanged) return before + source;
      return (
        before + (typeof newJson === 'string' && !source.startsWith('"') ? newJson : JSON.stringify(newJson))
      );
    })
    .join('\n');
}

function hideRanges(text: string, covers: readonly Cover[]): string {
  let result = '';
  let end = 0;
  for (const { from, to, isFirst } of covers.toSorted((one, other) => one.from - other.from)) {
    if (to <= end) continue;
    result += text.slice(end, from) + (isFirst ? redacted : '');
    end = Math.max(end, to);
  }
  return result + text.slice(end);
}

function createKey({ event, line, nth }: Pick<Leaf, 'event' | 'line' | 'nth'>): string {
  return `${event} ${line} ${nth}`;
}

interface Line {
  /** The field name with its colon and space; empty if there is none. */
  readonly before: string;
  readonly source: string;
  /** The parsed JSON; the text itself if it is not JSON; undefined for a line without data. */
  readonly json: unknown;
}

/** The lines of an event. A JSON document is one line, even if its text has several. */
function splitLines(text: string): readonly Line[] {
  const document = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (document !== undefined) return [{ before: '', source: text, json: document }];
  return text.split('\n').map((line) => {
    const [before = ''] = /^data: ?/.exec(line) ?? [];
    const source = line.slice(before.length);
    const isData = before !== '';
    return { before, source, json: isData ? (parseJson(source) ?? source) : undefined };
  });
}

/** Numbers paths in JSON, because a path may be as long as the text. */
class PathNumbers {
  readonly #numbers = new Map<string, number>();

  /** The number of a path within another one; the root is 0. */
  findNumber(parent: number, name: string): number {
    const key = `${parent}${name}`;
    const number = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}

interface VisitedValue {
  readonly paths: PathNumbers;
  readonly path: number;
  readonly member: number;
  readonly depth: number;
}

/**
 * Calls `onString` with each string. The path uses an object's own `index` member if there is one, because choices
 * alternate.
 */
function visit(
  value: unknown,
  { paths, path, member, depth }: VisitedValue,
  onString: (at: Pick<Leaf, 'path' | 'member'>, text: string) => void,
): void {
  if (typeof value === 'string') onString({ path, member }, value);
  if (depth === maxDepth) return;
  const descend = (name: string, ofMember = name) => ({
    paths,
    path: paths.findNumber(path, name),
    member: paths.findNumber(member, ofMember),
    depth: depth + 1,
  });
  if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) {
      // The elements of a document are the events of a reply.
      const index = isObject(each) && typeof each.index === 'number' ? each.index : depth === 0 ? '' : at;
      visit(each, descend(`/${index}`, '/'), onString);
    }
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) visit(each, descend(`.${name}`), onString);
  }
}

/** The value with each string replaced, in the order of `visit`. */
function mapStrings(value: unknown, replace: (text: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return replace(value);
  if (depth === maxDepth) return value;
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, replace, depth + 1));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, mapStrings(each, replace, depth + 1)]);
  return Object.fromEntries(entries);
}
