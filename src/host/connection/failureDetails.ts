import type { GatewayError } from '../../wire/failures/gatewayError.ts';
import { plainText } from '../kit/display/plainText.ts';

const maxDetailsLength = 10_000;

/**
 * Formats the data that the operator of a gateway needs to find a failed request, as lines to copy. The lines are in
 * English, because the operator may not read the user's language.
 *
 * @param words the message that the user saw
 */
export function formatFailureDetails(error: GatewayError, words: string): string {
  const { kind, reason, status, field, retryAfterMs, requestId, gatewayRequestId, requestedAt } = error;
  const lines: readonly (readonly [name: string, value: string | number | undefined])[] = [
    ['Failure', reason === undefined ? kind : `${kind} (${reason})`],
    ['HTTP status', status],
    ['Field', field],
    ['Retry after', retryAfterMs === undefined ? undefined : `${Math.ceil(retryAfterMs / 1000)} s`],
    ['Time', Number.isNaN(requestedAt.getTime()) ? undefined : requestedAt.toISOString()],
    ['Request ID', requestId === '' ? undefined : requestId],
    ['Gateway’s request ID', gatewayRequestId],
  ];
  const presentLines = lines.filter(([, value]) => value !== undefined);
  return plainText(
    [words, ...presentLines.map(([name, value]) => `${name}: ${value}`)].join('\n'),
    maxDetailsLength,
  );
}
