import { jsonText } from './json.ts';

/** The message of what was thrown, whatever it is. */
export function errorMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return describedValue(thrown);
  // What fetch throws says why in its cause alone; several failed addresses have no words but codes.
  const { cause, message } = thrown;
  if (cause instanceof Error && (message === '' || message === 'fetch failed')) return errorMessage(cause);
  return message || errorCode(thrown) || thrown.name;
}

/** Anything may be thrown, also what has no words for itself, or throws when it is asked for them. */
function describedValue(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown).trim() || nameless;
  try {
    const told = 'message' in thrown ? thrown.message : undefined;
    return (typeof told === 'string' && told !== '' ? told : jsonText(thrown)) ?? nameless;
  } catch {
    return nameless;
  }
}

const nameless = 'unknown error';

/** What was thrown with the place that it comes from, and the errors that it was caused by, for logs. */
export function errorTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return errorMessage(thrown);
  const traces: string[] = [];
  for (let at: unknown = thrown; at instanceof Error && traces.length < maxCauses; at = at.cause)
    traces.push(at.stack ?? at.message);
  return traces.join('\ncaused by ');
}

/** A cause may lead back to where it came from. */
const maxCauses = 4;

/** The code of an error of the system or the runtime, such as ENOSPC. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}
