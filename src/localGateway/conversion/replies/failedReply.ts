import type { FailureDetails } from '../../../wire/errorMapping.ts';
import { inEnglish } from '../../../wire/explanations/explanation.ts';
import type { FailureKind } from '../../../wire/failure.ts';
import type { HttpError } from '../../httpError.ts';
import { invalidReply } from '../../upstreams/upstreamFailure.ts';
import type { ReplyForm } from './replyForm.ts';
import { LateFragment } from './sections.ts';
import { UnconvertibleReply, WordlessReply } from './unconvertibleReply.ts';

/** An error inside a reply with a good status. */
export function failedReply(
  { kind, reason, gatewayMessage, explanation }: FailureDetails,
  { blockedCode }: Pick<ReplyForm, 'blockedCode'>,
): HttpError {
  const blocked = reason === 'content-filter' ? blockedCode : undefined;
  const code = blocked ?? codes[kind] ?? (reason ?? kind).replaceAll('-', '_');
  return invalidReply(gatewayMessage ?? inEnglish(explanation), code, statuses[kind]);
}

/** Codes other than the kind's name: a caller would suspect its own credential, and AI SDK retries `rate_limited`. */
const codes: Readonly<Partial<Record<FailureKind, string>>> = {
  authentication: 'upstream_credential',
  'rate-limited': 'upstream_busy',
};

/** The statuses of failures that no client library retries. */
const statuses: Readonly<Partial<Record<FailureKind, 400 | 402 | 404>>> = {
  'model-unavailable': 404,
  'invalid-parameters': 400,
  quota: 402,
};

/** The error for a reply that cannot be written in the caller's format. Throws any other error again. */
export function unwritableReply(error: unknown): HttpError {
  if (error instanceof UnconvertibleReply) return invalidReply(error.message, 'unconvertible_reply');
  if (error instanceof WordlessReply) return invalidReply(error.message, 'wordless_reply');
  if (error instanceof LateFragment)
    return invalidReply(
      'The model went on with a tool call that it had ended. Ask in the API format of the upstream.',
      'unconvertible_reply',
    );
  throw error;
}
