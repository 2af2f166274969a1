import { HttpError } from '../http/httpError.ts';

/** A failure that the user requests. */
export type SimulatedFault =
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'error' | 'cut' | 'no-end' | 'silence' | 'slow' };

/** The phrases that cause a simulated fault, and their effects. */
export const faultPhrases: readonly (readonly [phrase: string, effect: string])[] = [
  ['fail with 429', 'fails with that status; any from 400 to 599'],
  ['error in the middle', 'stops half-way with an error event'],
  ['cut the stream', 'closes the connection half-way'],
  ['leave out the end', 'ends cleanly, but without the end mark'],
  ['go silent', 'stops half-way and never ends'],
  ['answer slowly', 'writes four tokens a second'],
];

/** Phrases in longer texts, in UTF-16 units, are ignored. */
export const maxPhraseLength = 120;

/** Reads the fault that a short question requests. In long questions the phrases are ignored. */
export function readSimulatedFault(question: string): SimulatedFault | undefined {
  if (question.length > maxPhraseLength) return undefined;
  const status = /\bfail with ([45]\d\d)\b/i.exec(question)?.[1];
  if (status) return { kind: 'status', status: Number(status) };
  if (/\berror in the middle\b/i.test(question)) return { kind: 'error' };
  if (/\bcut the stream\b/i.test(question)) return { kind: 'cut' };
  if (/\bleave out the end\b/i.test(question)) return { kind: 'no-end' };
  if (/\bgo silent\b/i.test(question)) return { kind: 'silence' };
  if (/\banswer slowly\b/i.test(question)) return { kind: 'slow' };
  return undefined;
}

/** @param source the part of the request that causes the failure, such as "the question" */
export function requestedFailureError(status: number, source: string): HttpError {
  return new HttpError({
    status,
    message: `The demo model fails with ${status}, because ${source} requested it.`,
    type: status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error',
    code: status === 429 ? 'rate_limit_exceeded' : 'demo_failure',
    ...((status === 429 || status === 503) && { headers: { 'Retry-After': '2' } }),
  });
}
