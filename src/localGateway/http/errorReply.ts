import type { ErrorFormat } from '../../wire/apis/shared/errorFormat.ts';
import { defaultFormat, textFormats } from '../../wire/apis/textFormats.ts';
import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import { writeServerSentEvent } from '../../wire/stream/sse.ts';
import { type HttpError, toUnbilledError } from './httpError.ts';

/** The formats of errors, by the group of routes. The group is the ID of an API format. */
const formats: ReadonlyMap<string, ErrorFormat> = new Map(
  [...textFormats, ...videoRoutes].flatMap(({ id, error }) => (error ? [[id, error]] : [])),
);

/** Creates the body of an error in the format of a group of routes. */
export function createErrorBody(error: HttpError, group: string, requestId: string): object {
  return findErrorFormat(group).body(error, requestId);
}

/** Creates one whole event from an error, for a stream that has begun. */
export function createErrorEvent(error: HttpError, group: string, requestId: string): string {
  const format = findErrorFormat(group);
  const event = format.event?.(error, requestId);
  return event
    ? writeServerSentEvent(event.data, event.name)
    : writeServerSentEvent(format.body(error, requestId));
}

/** Returns the most probable group of routes for an unknown path, so that its error has a useful format. */
export function guessGroup(target: string): string {
  const [group] = [...formats].find(([, { paths }]) => paths?.test(target)) ?? [defaultFormat];
  return group;
}

/**
 * Adapts the status of a failure to a group of routes. SDKs retry after a 5xx, which does not show whether a paid
 * route made something. If nothing was sent, the status becomes 424.
 */
export function adaptErrorToGroup(error: HttpError, group: string): HttpError {
  const isPaid = group === 'videos' || videoRoutes.some(({ id }) => id === group);
  return isPaid && error.neverSent && error.status >= 500 ? toUnbilledError(error) : error;
}

/** Errors of models and tasks have the format of chat completions. */
function findErrorFormat(group: string): ErrorFormat {
  const format = formats.get(group) ?? formats.get(defaultFormat);
  if (!format) throw new TypeError(`no format for the errors of ${group}`);
  return format;
}
