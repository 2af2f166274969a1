import { jsonText } from './json.ts';

/** The message of any thrown value. */
export function errorMessage(thrown: unknown): string {
  if (!(thrown instanceof Error)) return describeValue(thrown);
  // Errors of `fetch` have the reason only in their cause. An error for several addresses has only a code.
  const { cause, message } = thrown;
  if (cause instanceof Error && (message === '' || message === 'fetch failed')) return errorMessage(cause);
  return message || errorCode(thrown) || thrown.name;
}

/** Any value may be thrown, even one without a message, or with a getter that throws. */
function describeValue(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown).trim() || unknownError;
  try {
    const message = 'message' in thrown ? thrown.message : undefined;
    return (typeof message === 'string' && message !== '' ? message : jsonText(thrown)) ?? unknownError;
  } catch {
    return unknownError;
  }
}

const unknownError = 'unknown error';

/** The stack of a thrown value and of its causes, for logs. */
export function errorTrace(thrown: unknown): string {
  if (!(thrown instanceof Error)) return errorMessage(thrown);
  const traces: string[] = [];
  for (let error: unknown = thrown; error instanceof Error && traces.length < maxErrors; error = error.cause)
    traces.push(error.stack ?? error.message);
  return traces.join('\ncaused by ');
}

/** The largest number of errors in a trace. Causes may form a cycle. */
const maxErrors = 4;

/** The code of an error of the system or the runtime, such as ENOSPC. */
export function errorCode(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string'
    ? thrown.code
    : undefined;
}
