import type { SentenceIdWith } from '../explanations/explanation.ts';
import type { FailureKind, FailureReason, GatewayErrorInit } from './gatewayError.ts';

/** A step that a user can take after a failure. */
export type FailureStep =
  | 'again'
  | 'set-credential'
  | 'start-local-gateway'
  | 'set-upstream-key'
  | 'change-address'
  | 'choose-model'
  | 'choose-format'
  | 'refresh-models'
  | 'show-field'
  | 'open-parameters'
  | 'new-chat'
  | 'open-gateway-settings'
  | 'open-timeouts'
  | 'open-proxy'
  | 'raise-limit'
  | 'open-limits'
  | 'check-connection';

/** The title, explanation and steps for one class of failures, in English. */
export interface CatalogueEntry {
  /** A short title of the class. */
  readonly title: string;
  /** The explanation if only a status is known. */
  readonly sentence: SentenceIdWith<'httpStatus'>;
  /** Possible steps, the most promising first. */
  readonly steps: readonly FailureStep[];
}

/** The properties that determine the class of a failure. */
type ClassifiedFailure = Pick<GatewayErrorInit, 'kind' | 'reason' | 'status' | 'field' | 'isRetryAdvised'>;

const byKind: Readonly<Record<FailureKind, CatalogueEntry>> = {
  unreachable: {
    title: 'The gateway cannot be reached',
    sentence: 'gateway-missing',
    steps: ['again'],
  },
  authentication: {
    title: 'The gateway refused the credential',
    sentence: 'credential-refused',
    steps: ['set-credential', 'again'],
  },
  'model-unavailable': {
    title: 'The model is not available',
    sentence: 'model-unavailable',
    steps: ['choose-model', 'choose-format', 'refresh-models'],
  },
  'invalid-parameters': {
    title: 'The gateway refused the request',
    sentence: 'request-refused',
    steps: ['open-parameters', 'choose-format', 'again'],
  },
  'rate-limited': {
    title: 'Too many requests',
    sentence: 'rate-limited',
    steps: ['again', 'choose-model'],
  },
  quota: {
    title: 'The quota is used up',
    sentence: 'quota-used-up',
    steps: ['set-credential', 'choose-model', 'again'],
  },
  'spending-limit': {
    title: 'A spending limit is reached',
    sentence: 'spending-limit',
    steps: ['raise-limit', 'open-limits', 'again'],
  },
  server: {
    title: 'The gateway failed',
    sentence: 'gateway-failed',
    steps: ['again', 'choose-model'],
  },
  'malformed-reply': {
    title: 'The reply cannot be read',
    sentence: 'neither-json-nor-stream',
    steps: ['again'],
  },
  cancelled: {
    title: 'Stopped',
    sentence: 'call-cancelled',
    steps: ['again'],
  },
};

const byReason: { readonly [Reason in FailureReason]?: Partial<CatalogueEntry> } = {
  'credential-timeout': { title: 'The credential could not be read', steps: ['again'] },
  'another-account': { title: 'The gateway is not connected', steps: [] },
  dns: { steps: ['again', 'change-address'] },
  refused: { steps: ['again', 'change-address'] },
  reset: { title: 'The connection was lost' },
  cut: { title: 'The reply was cut off' },
  'unusable-address': { title: 'The address is not allowed', steps: ['change-address', 'again'] },
  proxy: { title: 'The proxy cannot be used', steps: ['again', 'open-proxy'] },
  'proxy-refused': {
    title: 'The proxy blocked the request',
    steps: ['again', 'open-proxy'],
  },
  'proxy-credentials': {
    title: 'The proxy requires a sign-in',
    sentence: 'proxy-needs-sign-in',
    steps: ['again', 'open-proxy'],
  },
  redirect: { steps: ['change-address', 'again'] },
  'not-a-gateway': { title: 'No gateway was found at this address', steps: ['change-address', 'again'] },
  'network-sign-in': {
    title: 'The network requires a sign-in',
    sentence: 'network-needs-sign-in',
    steps: ['again', 'open-proxy'],
  },
  region: {
    title: 'Not available in this region',
    sentence: 'region-refused',
    steps: ['choose-model', 'open-proxy', 'again'],
  },
  challenge: {
    title: 'A browser check blocked the request',
    sentence: 'browser-check',
    steps: ['again', 'open-proxy'],
  },
  blocked: {
    title: 'The request was blocked',
    sentence: 'request-blocked',
    steps: ['again', 'open-proxy'],
  },
  'no-such-route': {
    title: 'The address is wrong',
    sentence: 'route-missing',
    steps: ['change-address', 'choose-format', 'again'],
  },
  'connect-timeout': { steps: ['again', 'open-timeouts'] },
  'first-byte-timeout': {
    title: 'The gateway did not respond in time',
    steps: ['again', 'open-timeouts'],
  },
  'idle-timeout': { title: 'The gateway stopped responding', steps: ['again', 'open-timeouts'] },
  'no-data-timeout': { title: 'The gateway stopped responding', steps: ['again', 'open-timeouts'] },
  'total-timeout': { title: 'The reply took too long', steps: ['again', 'open-timeouts'] },
  'tls-wrong-host': { steps: ['change-address', 'again'] },
  'tls-not-tls': { steps: ['change-address', 'again'] },
  'content-filter': {
    title: 'The content was refused',
    sentence: 'content-refused',
    steps: ['choose-model'],
  },
  'context-too-long': {
    title: 'The request is too long for the model',
    sentence: 'context-too-long',
    steps: ['choose-model', 'new-chat', 'open-parameters'],
  },
  'no-models': {
    title: 'The gateway lists no models',
    sentence: 'no-models-listed',
    steps: ['set-credential', 'refresh-models'],
  },
  'unsuited-model': { title: 'The model does not support this request', sentence: 'model-unsuited' },
  'upstream-credential': {
    title: 'The gateway’s key for a provider was refused',
    sentence: 'upstream-key-refused',
    steps: ['choose-model', 'again'],
  },
  'own-upstream-credential': {
    title: 'The key of an upstream was refused',
    sentence: 'own-upstream-key-refused',
    steps: ['set-upstream-key', 'again', 'choose-model'],
  },
  'upstream-unusable': {
    title: 'An upstream of the gateway cannot be used',
    sentence: 'upstream-unusable',
    steps: ['choose-model', 'again'],
  },
  'cache-fields-refused': {
    title: 'The gateway does not accept prompt caching',
    sentence: 'cache-fields-refused',
    steps: ['open-gateway-settings', 'again', 'open-parameters'],
  },
  'too-large': { sentence: 'request-too-large' },
  'unknown-price': {
    title: 'The price is unknown',
    steps: ['open-limits', 'choose-model'],
  },
  'not-counted': {
    title: 'The request cannot be counted',
    steps: ['again', 'open-limits'],
  },
  'headers-too-large': { sentence: 'headers-refused', steps: ['set-credential', 'again'] },
};

const unsentTitle = 'The credential cannot be used';

/** The titles of all classes, for translators. */
export function listCatalogueTitles(): readonly string[] {
  const entries: readonly Partial<CatalogueEntry>[] = [...Object.values(byKind), ...Object.values(byReason)];
  return [unsentTitle, ...entries.flatMap(({ title }) => title ?? [])];
}

/**
 * The title, explanation and steps of a failure: by its reason, otherwise by its kind. All views of failures use
 * them.
 */
export function catalogueEntry({
  kind,
  reason,
  status,
  field,
  isRetryAdvised,
}: ClassifiedFailure): CatalogueEntry {
  const entry = { ...byKind[kind], ...(reason && Object.hasOwn(byReason, reason) && byReason[reason]) };
  const isUnsent = kind === 'authentication' && status === undefined && reason === undefined;
  return {
    title: isUnsent ? unsentTitle : entry.title,
    // An entry about a too large request does not fit a too large reply.
    sentence: kind === 'malformed-reply' ? byKind[kind].sentence : entry.sentence,
    steps: addConnectionCheck(orderSteps(entry.steps, field, isRetryAdvised), kind, reason),
  };
}

/** Adds a check of the connection if the gateway was not reached, or if it refused the credential. */
function addConnectionCheck(
  steps: readonly FailureStep[],
  kind: FailureKind,
  reason: FailureReason | undefined,
): readonly FailureStep[] {
  const isLocal = reason === 'credential-timeout' || steps.length === 0;
  const isChecked = !isLocal && (kind === 'unreachable' || kind === 'authentication');
  return isChecked ? [...steps, 'check-connection'] : steps;
}

/** Puts a reported field first, and useless steps last. */
function orderSteps(
  listedSteps: readonly FailureStep[],
  field: string | undefined,
  isRetryAdvised = true,
): readonly FailureStep[] {
  const steps: readonly FailureStep[] =
    field === undefined
      ? listedSteps
      : ['show-field', ...listedSteps.filter((step) => step !== 'open-parameters')];
  if (isRetryAdvised || steps[0] !== 'again') return steps;
  return [...steps.filter((step) => step !== 'again'), 'again'];
}
