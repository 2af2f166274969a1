import type { Task } from '../task.ts';

/** What a result was saved as. */
export interface SavedFile {
  readonly index: number;
  /** Where it came from: origin and path, or `inline`. */
  readonly source: string;
  readonly mimeType: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
}

/** Text without any space that is longer than this is somebody's data, not something to read. */
const LONGEST_DATA = 1024;

/**
 * How a saved result came about, as JSON text to lie beside it: what makes it possible to make it again. Queries
 * of addresses, which may open what they point to, and pictures within the request are left out.
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
  if (data !== undefined && text.length > LONGEST_DATA) {
    return `${data}(${text.length - data.length} characters left out)`;
  }
  if (!/^https?:\/\/\S+$/i.test(text) || !URL.canParse(text)) return text;
  const { origin, pathname, search, hash, username, password } = new URL(text);
  return search || hash || username || password ? origin + pathname : text;
}
