import type { Task } from '../record/task.ts';
import type { SavedResult } from './resultFile.ts';

/** A saved result, as its recipe describes it. */
interface SavedFile extends Omit<SavedResult, 'path'> {
  readonly index: number;
  /** Origin and path of its address, or `inline`. */
  readonly source: string;
}

/** In characters. Longer text without spaces is data, not readable text. */
const maxDataLength = 1024;

/**
 * Builds the recipe of a saved result as JSON text, for a file next to it. The recipe contains the values that are
 * needed to create the result again. It omits the queries of addresses, which may be secrets, and the pictures in
 * the request.
 */
export function buildRecipe(
  task: Task,
  request: object | undefined,
  saved: SavedFile,
  savedAt: number,
): string {
  const { model, route, gateway, taskId, requestId, prompt, submittedAt, acceptedAt, endedAt } = task;
  const recipe = {
    model,
    route,
    gateway,
    taskId,
    requestId,
    ...(request === undefined ? { prompt: prompt || undefined } : { request }),
    submittedAt: formatTime(submittedAt),
    acceptedAt: formatTime(acceptedAt),
    endedAt: formatTime(endedAt),
    savedAt: formatTime(savedAt),
    result: saved.index,
    source: saved.source,
    mimeType: saved.mimeType,
    bytes: saved.bytes,
    sha256: saved.sha256,
  };
  return `${JSON.stringify(recipe, (_, value: unknown) => (typeof value === 'string' ? shortenText(value) : value), 2)}\n`;
}

function formatTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

function shortenText(text: string): string {
  const dataPrefix = /^data:[^,]{0,100},/.exec(text)?.[0] ?? (/^[\w+/-]+={0,2}$/.test(text) ? '' : undefined);
  if (dataPrefix !== undefined && text.length > maxDataLength) {
    return `${dataPrefix}(${text.length - dataPrefix.length} characters left out)`;
  }
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return text;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  return search || hash || username || password ? origin + pathname : text;
}
