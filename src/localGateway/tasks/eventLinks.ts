import { isObject, nonEmptyString, parseJson } from '../../base/json.ts';
import { isAside } from '../../wire/apis/taskRecord/results.ts';
import { replaceAddresses } from '../json/jsonEdit.ts';
import { linksOf } from './ownRecord.ts';
import { isAtUpstream, type RemoteTask } from './remoteTask.ts';
import { addressed, resultPath } from './taskView.ts';

/** The addresses of results in the events of a task, some of which come before its record names the results. */
export class EventLinks {
  readonly #id: string;
  readonly #address: string;
  readonly #origins: readonly string[];
  readonly #links: Map<string, string>;
  /** Steps that hold no results, such as the input, by their place. */
  readonly #aside = new Set<unknown>();
  readonly #seen: Set<string>;

  /**
   * @param address the gateway's address as the caller knows it
   * @param origins the upstream's own, at which files need its key
   */
  constructor(task: RemoteTask, address: string, origins: readonly string[] = []) {
    this.#id = task.id;
    this.#address = address;
    this.#origins = origins;
    this.#links = new Map(linksOf(task, address));
    this.#seen = new Set(task.told.results.map(({ url = '' }) => url));
  }

  /** An event in which each result at the upstream has an address of the gateway. */
  relinked(event: Uint8Array): Uint8Array {
    const bytes = Buffer.from(event.buffer, event.byteOffset, event.byteLength);
    // Most events are pieces of text.
    if (!bytes.includes('"step.start"') && !bytes.includes('uri"') && !bytes.includes('url"')) return event;
    const data = /(?:^|[\r\n])data: ?([^\r\n]*)/.exec(bytes.toString())?.[1];
    const value = parseJson(data ?? '');
    if (!isObject(value)) return event;
    if (isObject(value.step) && isAside(value.step)) this.#aside.add(value.index);
    if (value.index === undefined || !this.#aside.has(value.index)) this.#find(value, 0);
    return this.#links.size === 0 ? event : replaceAddresses(event, (text) => this.#links.get(text));
  }

  /** Results have the places in which they appear, as in the record. */
  #find(value: unknown, depth: number): void {
    if (depth > maxDepth) return;
    if (Array.isArray(value)) for (const each of value) this.#find(each, depth + 1);
    if (!isObject(value) || isAside(value)) return;
    const url = nonEmptyString(value.uri ?? value.url);
    if (url !== undefined) this.#add(url);
    else for (const each of Object.values(value)) this.#find(each, depth + 1);
  }

  #add(url: string): void {
    if (this.#seen.has(url) || !/^https?:/i.test(url) || !URL.canParse(url)) return;
    const index = this.#seen.size;
    this.#seen.add(url);
    if (isAtUpstream(new URL(url), this.#origins))
      this.#links.set(url, addressed(resultPath(this.#id, index), this.#address));
  }
}

/** No event nests deeper. */
const maxDepth = 16;
