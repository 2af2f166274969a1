import type { Task } from '../record/task.ts';
import type { SavedResult } from './resultFile.ts';

/** A saved result, as its recipe describes it. */
export interface SavedFile extends Omit<SavedResult, 'path'> {
  readonly index: number;
  /** Origin and path of its address, or `inline`. */
  readonly source: string;
}

/** Longer text without spaces is data, not readable text; in characters. */
const maxData = 1024;

/**
 * The recipe of a saved result as JSON text, for a file next to it. The recipe contains the values that are needed
 * to create the result again. It omits the queries of addresses, which may be secrets, and the pictures in the
 * request.
 */
export function recipeOf(task: Task, request: object | undefined, saved: SavedFile, savedAt: number): string {
  const { model, route, gateway, taskId, requestId, prompt, submittedAt, acceptedAt, endedAt } = task;
  const recipe = {
    model,
    route,
    gateway,
    taskId,
    requestId,
    ...(request === undefined ? { prompt: prompt || undefined } : { request }),
    submittedAt: isoTime(submittedAt),
    acceptedAt: isoTime(acceptedAt),
    endedAt: isoTime(endedAt),
    savedAt: isoTime(savedAt),
    result: saved.index,
    source: saved.source,
    mimeType: saved.mimeType,
    bytes: saved.bytes,
    sha256: saved.sha256,
  };
  return `${JSON.stringify(recipe, (_, value: unknown) => (typeof value === 'string' ? readable(value) : value), 2)}\n`;
}

function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function readable(text: string): string {
  const data = /^data:[^,]{0,100},/.exec(text)?.[0] ?? (/^[\w+/-]+={0,2}$/.test(text) ? '' : undefined);
  if (data !== undefined && text.length > maxData) {
    return `${data}(${text.length - data.length} characters left out)`;
  }
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return text;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  return search || hash || username || password ? origin + pathname : text;
}
