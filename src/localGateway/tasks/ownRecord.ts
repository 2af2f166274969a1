import { isObject, type JsonObject } from '../../base/json.ts';
import { isMark, mapObjects, type RemoteTask } from './remoteTask.ts';
import { taskForms, underOwnIds } from './taskForms.ts';
import { resultPath } from './taskView.ts';

/** An address of a result as the caller can ask for it. */
export function addressed(url: string, address: string): string {
  return url.startsWith('/') ? address + url : url;
}

/**
 * The upstream's own record of a task for a caller: with this gateway's id, with its address for each result
 * that it keeps, and with the data that was in it.
 *
 * @param address the gateway's address as the caller knows it
 * @param readKept the bytes of a result that is kept, by its place
 */
export async function ownRecord(
  task: RemoteTask,
  address: string,
  readKept: (index: number) => Promise<Buffer | undefined>,
): Promise<JsonObject> {
  const { told, kept, format, id } = task;
  const data = new Map<number, string>();
  for (const [index, { url }] of told.results.entries()) {
    if (url !== undefined || !kept[index] || taskForms[format].givesContent) continue;
    const bytes = await readKept(index);
    if (bytes) data.set(index, bytes.toString('base64'));
  }
  const links = new Map(
    told.results.flatMap(({ url }, index) =>
      url !== undefined && kept[index] ? [[url, address + resultPath(id, index)] as const] : [],
    ),
  );
  const record = mapObjects(told.record ?? {}, (object) => withLinks(withData(object, data), links));
  return underOwnIds(task, isObject(record) ? record : {});
}

function withData(object: JsonObject, data: ReadonlyMap<number, string>): JsonObject {
  if (!isMark(object)) return object;
  const { kept_result, ...rest } = object;
  const text = data.get(kept_result);
  return text === undefined ? rest : { ...rest, data: text };
}

function withLinks(object: JsonObject, links: ReadonlyMap<string, string>): JsonObject {
  if (links.size === 0) return object;
  const linked = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(linked);
    return typeof value === 'string' ? (links.get(value) ?? value) : value;
  };
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, linked(value)]));
}
