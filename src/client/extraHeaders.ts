import { untilAborted } from '../base/cancellation.ts';
import { explain } from '../wire/explanations/explanation.ts';
import { createCancelledFailure, type FailureDetails } from '../wire/failures/replyFailure.ts';
import type { HeaderNames } from '../wire/headerNames.ts';
import { type CallIdentity, createUnsentError } from './callIdentity.ts';
import { readCredential } from './credential.ts';
import type { ClientOptions, ExtraHeader } from './types.ts';

/** The headers that are set by HTTP, by the network or by the client itself. */
const reservedNames =
  /^(?:proxy-.*|content-.*|host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept|accept-encoding|user-agent|x-request-id|idempotency-key|range|if-range)$/;

/** Why a header cannot be sent: it is reserved, would replace the credential, or has an invalid name or value. */
type ExtraHeaderProblem = 'reserved' | 'credential' | 'name' | 'value';

/** Returns the names of the headers that may contain the credential, in lower case. */
export function listCredentialHeaders({
  vendorApiKey,
}: Pick<HeaderNames, 'vendorApiKey'>): ReadonlySet<string> {
  return new Set(['authorization', 'x-api-key', 'api-key', vendorApiKey.toLowerCase()]);
}

/** @param credentialNames the names of the headers that may contain the credential; empty without a credential */
export function findExtraHeaderProblem(
  { name, value }: Pick<ExtraHeader, 'name' | 'value'>,
  credentialNames: ReadonlySet<string>,
): ExtraHeaderProblem | undefined {
  const lowerName = name.toLowerCase();
  if (!/^[a-z0-9!#$%&'*+.^_`|~-]{1,200}$/.test(lowerName)) return 'name';
  if (reservedNames.test(lowerName)) return 'reserved';
  if (credentialNames.has(lowerName)) return 'credential';
  // A line break would begin another header.
  return /^[\x21-\x7e](?:[\x20-\x7e]{0,8000}[\x21-\x7e])?$/.test(value) ? undefined : 'value';
}

/** The extra headers of one request. */
interface ExtraHeaderValues {
  readonly headers: Readonly<Record<string, string>>;
  /** The values to hide. */
  readonly secrets: readonly string[];
}

/** The credential and the extra headers of one request. `secrets` contains the credential, too. */
export interface RequestSecrets extends ExtraHeaderValues {
  readonly credential: string | undefined;
}

/**
 * Reads the credential and the extra headers of one request.
 *
 * @param renewedCredential replaces the credential
 * @throws {GatewayError} if the request cannot be sent with them
 */
export async function readRequestSecrets(
  options: Pick<ClientOptions, 'credential' | 'extraHeaders'>,
  headerNames: HeaderNames,
  signal: AbortSignal | undefined,
  identity: CallIdentity,
  renewedCredential?: string,
): Promise<RequestSecrets> {
  const reading =
    renewedCredential === undefined
      ? await readCredential(options.credential, signal)
      : { credential: renewedCredential };
  if ('failure' in reading) throw createUnsentError(reading.failure, identity);
  const { credential } = reading;
  const names = credential === undefined ? new Set<string>() : listCredentialHeaders(headerNames);
  const extraHeaders = await readExtraHeaders(options.extraHeaders, names, signal);
  if ('failure' in extraHeaders) throw createUnsentError(extraHeaders.failure, identity);
  const { headers, secrets } = extraHeaders;
  return { credential, headers, secrets: credential === undefined ? secrets : [credential, ...secrets] };
}

/** Reads the extra headers of one request, or returns the reason why they cannot be sent. */
export async function readExtraHeaders(
  read: (() => Promise<readonly ExtraHeader[]>) | undefined,
  credentialNames: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<ExtraHeaderValues | { readonly failure: FailureDetails }> {
  if (!read) return { headers: {}, secrets: [] };
  let extraHeaders: readonly ExtraHeader[];
  try {
    extraHeaders = await untilAborted(read(), signal);
  } catch (cause) {
    if (signal?.aborted) return { failure: createCancelledFailure() };
    return {
      failure: { kind: 'authentication', explanation: explain('extra-headers-unreadable'), cause },
    };
  }
  for (const header of extraHeaders) {
    const problem = findExtraHeaderProblem(header, credentialNames);
    if (problem !== undefined) return { failure: createUnsendableHeaderFailure(header, problem) };
  }
  return {
    headers: Object.fromEntries(extraHeaders.map(({ name, value }) => [name.toLowerCase(), value])),
    secrets: extraHeaders.filter(({ isSecret }) => isSecret).map(({ value }) => value),
  };
}

function createUnsendableHeaderFailure({ name }: ExtraHeader, problem: ExtraHeaderProblem): FailureDetails {
  const args = { header: name.slice(0, 200) };
  const kind = 'invalid-parameters';
  if (problem === 'reserved') return { kind, explanation: explain('extra-header-reserved', args) };
  if (problem === 'credential') return { kind, explanation: explain('extra-header-credential', args) };
  return { kind, explanation: explain('extra-header-invalid', args) };
}
