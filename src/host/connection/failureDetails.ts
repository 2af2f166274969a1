import type { GatewayError } from '../../wire/failure.ts';
import { plainText } from '../kit/display/plainText.ts';

const maxDetailsLength = 10_000;

/**
 * What whoever runs a gateway needs to find a failed request, as lines to copy. In English for everyone, as it is
 * read elsewhere.
 *
 * @param words what the user was told
 */
export function failureDetails(error: GatewayError, words: string): string {
  const { kind, reason, status, field, retryAfterMs, requestId, gatewayRequestId, requestedAt } = error;
  const lines: readonly (readonly [name: string, value: string | number | undefined])[] = [
    ['Failure', reason === undefined ? kind : `${kind} (${reason})`],
    ['HTTP status', status],
    ['Field', field],
    ['Asked to wait', retryAfterMs === undefined ? undefined : `${Math.ceil(retryAfterMs / 1000)} s`],
    ['Time', Number.isNaN(requestedAt.getTime()) ? undefined : requestedAt.toISOString()],
    ['Request ID', requestId === '' ? undefined : requestId],
    ['Gateway’s request ID', gatewayRequestId],
  ];
  const known = lines.filter(([, value]) => value !== undefined);
  return plainText(
    [words, ...known.map(([name, value]) => `${name}: ${value}`)].join('\n'),
    maxDetailsLength,
  );
}
