import { isObject, type JsonObject, parseJson } from '../../base/json.ts';
import { replaceAddresses } from '../json/jsonEdit.ts';
import { isMark, mapObjects, type RemoteTask } from './remoteTask.ts';
import { taskForms, underOwnIds } from './taskForms.ts';
import { addressed, resultAddress } from './taskView.ts';

/**
 * The upstream's own record of a task for a caller: with this gateway's id, with an address for each result
 * that the caller can use, and with the data that was in it.
 *
 * @param address the gateway's address as the caller knows it
 * @param readKept the bytes of a result that is kept, by its place
 */
export async function ownRecord(
  task: RemoteTask,
  address: string,
  readKept: (index: number) => Promise<Buffer | undefined>,
): Promise<JsonObject> {
  const { told, kept, format } = task;
  const data = new Map<number, string>();
  for (const [index, { url }] of told.results.entries()) {
    if (url !== undefined || !kept[index] || taskForms[format].givesContent) continue;
    const bytes = await readKept(index);
    if (bytes) data.set(index, bytes.toString('base64'));
  }
  return linkedRecord(task, address, (object) => withData(object, data));
}

/** The upstream's own record of a task, with its ids and addresses of results as callers use them. */
export function linkedRecord(
  task: RemoteTask,
  address: string,
  change: (object: JsonObject) => JsonObject = (object) => object,
): JsonObject {
  const links = linksOf(task, address);
  const record = mapObjects(task.told.record ?? {}, (object) => withLinks(change(object), links));
  return underOwnIds(task, isObject(record) ? record : {});
}

/** The address of each result for a caller, by the forms in which the upstream's record may name it. */
export function linksOf(task: RemoteTask, address: string): ReadonlyMap<string, string> {
  return new Map(
    task.told.results.flatMap(({ url }, index) => {
      if (url === undefined || !URL.canParse(url)) return [];
      const link = addressed(resultAddress(task, index), address);
      return namesOf(url).map((name) => [name, link] as const);
    }),
  );
}

/** An address, and the path that stands for it in some records. */
function namesOf(url: string): readonly string[] {
  const { protocol, pathname, search, hash } = new URL(url);
  return /^https?:$/.test(protocol) ? [url, pathname + search + hash] : [url];
}

function withData(object: JsonObject, data: ReadonlyMap<number, string>): JsonObject {
  if (!isMark(object)) return object;
  const { kept_result, kept_member, ...rest } = object;
  const text = data.get(kept_result);
  return text === undefined ? rest : { ...rest, [kept_member]: text };
}

function withLinks(object: JsonObject, links: ReadonlyMap<string, string>): JsonObject {
  if (links.size === 0) return object;
  const linked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(linked);
    if (typeof value !== 'string') return value;
    return links.get(value.trim()) ?? withLinkedJson(value, links);
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, linked(value)]));
}

/** Some records hold their results as JSON text. */
function withLinkedJson(text: string, links: ReadonlyMap<string, string>): string {
  if (!/^\s*[[{]/.test(text) || parseJson(text) === undefined) return text;
  const bytes = Buffer.from(text);
  const linked = replaceAddresses(bytes, (each) => links.get(each));
  return linked === bytes ? text : Buffer.from(linked).toString();
}
