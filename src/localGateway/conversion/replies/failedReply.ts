import type { FailureDetails } from '../../../wire/errorMapping.ts';
import { inEnglish } from '../../../wire/explanations/explanation.ts';
import type { FailureKind } from '../../../wire/failure.ts';
import type { HttpError } from '../../httpError.ts';
import { upstreamError } from '../../upstreams/upstreamFailure.ts';
import { LateFragment } from './sections.ts';
import { UnconvertibleReply, WordlessReply } from './unconvertibleReply.ts';

/** An error inside a reply that began well, with the status that it would have had. */
export function failedReply({ kind, reason, gatewayMessage, explanation }: FailureDetails): HttpError {
  // Callers would take their own credential for refused.
  const code = kind === 'authentication' ? 'upstream_credential' : (reason ?? kind).replaceAll('-', '_');
  return upstreamError(statusOf[kind], gatewayMessage ?? inEnglish(explanation), code);
}

/** The upstream's own 401 is not the caller's. */
const statusOf: Readonly<Record<FailureKind, number>> = {
  unreachable: 502,
  authentication: 424,
  'model-unavailable': 404,
  'invalid-parameters': 400,
  'rate-limited': 429,
  quota: 402,
  server: 500,
  'malformed-reply': 502,
  cancelled: 502,
};

/** The error for a reply that cannot be written in the caller's format. Throws any other error again. */
export function unwritableReply(error: unknown): HttpError {
  if (error instanceof UnconvertibleReply) return upstreamError(502, error.message, 'unconvertible_reply');
  if (error instanceof WordlessReply) return upstreamError(502, error.message, 'wordless_reply');
  if (error instanceof LateFragment)
    return upstreamError(
      502,
      'The model went on with a tool call that it had ended. Ask in the API format of the upstream.',
      'unconvertible_reply',
    );
  throw error;
}
