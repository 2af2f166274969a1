import { isLoopback } from '../../base/loopback.ts';
import type { ReplyHeaders } from '../../base/replyHeaders.ts';
import { type Explanation, explain, type SentenceIdWith } from '../explanations/explanation.ts';
import { type ErrorReport, readErrorBody, readErrorValue } from './errorBody.ts';
import {
  blamesRequest,
  classifyWords,
  type FailureClass,
  findStatus,
  reportsMissingRoute,
} from './errorWords.ts';
import { catalogueEntry } from './failureCatalogue.ts';
import type { GatewayErrorInit } from './gatewayError.ts';
import { refusesCacheFields } from './inputErrors.ts';
import { findInterception, refusesRegion } from './interception.ts';
import { findLimitResetMs, readRetryAdvice, readRetryAfterMs } from './retryHint.ts';

/** The part of a failure that is known from the reply alone. The caller adds the time and the request id. */
export type FailureDetails = Omit<GatewayErrorInit, 'requestedAt' | 'requestId'>;

/** A reply with a status of a failure. */
interface FailedReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** The body as text, perhaps truncated by the caller. */
  readonly body: string;
  readonly group: string;
  /** The name of the route in the table of routes; absent for a download. */
  readonly route?: string;
  /** The address of the request, the base for a redirect's target. */
  readonly url: URL;
  readonly now: Date;
}

/**
 * The failure for a reply with a status outside 2xx, classified by the first that applies: a server in front of the
 * gateway, a missing route, the words of the error, the status. The kind only explains the failure;
 * `getFailureEffect` decides whether something may have been created and which requests must wait.
 */
export function readReplyFailure(reply: FailedReply): FailureDetails {
  const { status, headers, body, now } = reply;
  if (status >= 300 && status < 400) return createRedirectFailure(reply);
  const report = readErrorBody(body);
  const failureClass = adjustToKeyOwner(
    findInterception(status, headers, body, report) ?? classifyReply(status, report, reply.group),
    reply.url,
  );
  const waitMs =
    readRetryAfterMs(headers, report.retryDelayMs, now) ??
    (status === 429 ? findLimitResetMs({ ...report.headers, ...headers }, now) : undefined);
  const advised = readRetryAdvice(headers);
  return {
    ...failureClass,
    explanation:
      explainRefusedAction(reply, failureClass) ??
      explainEmptyRefusal(failureClass, report, status) ??
      explainClass(failureClass, status, advised === false ? undefined : waitMs),
    status,
    body,
    ...(report.message !== undefined && { gatewayMessage: report.message }),
    ...readField(failureClass, report),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(advised !== undefined && { isRetryAdvised: advised }),
  };
}

/** The failure for an error inside a reply with a success status. */
export function readInnerFailure(error: unknown): FailureDetails {
  const report = readErrorValue(error);
  const failureClass = classifyInnerError(report);
  return {
    ...failureClass,
    explanation: explainClass(failureClass, undefined, report.retryDelayMs),
    ...(report.message !== undefined && { gatewayMessage: report.message }),
    ...readField(failureClass, report),
    ...(report.retryDelayMs !== undefined && { retryAfterMs: report.retryDelayMs }),
  };
}

/** Only an error about the request itself has a field to change. */
function readField({ kind, reason }: FailureClass, { field }: ErrorReport): Pick<FailureDetails, 'field'> {
  return kind === 'invalid-parameters' && reason === undefined && field !== undefined ? { field } : {};
}

function classifyReply(status: number, report: ErrorReport, group: string): FailureClass {
  if (isRouteMissing(status, report, group)) return noRoute;
  return addCacheReason(classifyWords(report, status) ?? classifyStatus(status, report, group), report);
}

/** Adds the reason if the request was refused only for its fields for prompt caching. */
function addCacheReason(failureClass: FailureClass, report: ErrorReport): FailureClass {
  const isPlain = failureClass.kind === 'invalid-parameters' && failureClass.reason === undefined;
  return isPlain && refusesCacheFields(report)
    ? { ...failureClass, reason: 'cache-fields-refused' }
    : failureClass;
}

/** The kind of a refusal, by its words or its status; undefined for a web page, which the gateway did not write. */
export function findRefusalKind(report: ErrorReport, status: number): FailureClass['kind'] | undefined {
  if (report.isHtml) return status === 401 ? 'authentication' : undefined;
  return (classifyWords(report, status) ?? classifyStatus(status, report, '')).kind;
}

/**
 * Adjusts the reason to the owner of the upstream key: it is the user's own if the gateway runs on this machine.
 */
function adjustToKeyOwner(failureClass: FailureClass, { hostname }: URL): FailureClass {
  const isOwn = failureClass.reason === 'upstream-credential' && isLoopback(hostname);
  return isOwn ? { ...failureClass, reason: 'own-upstream-credential' } : failureClass;
}

/** A plain "Not found" means the path, unless it may mean a task or a response. */
function isRouteMissing(status: number, report: ErrorReport, group: string): boolean {
  if (report.isHtml || group === 'models' || (status !== 404 && status !== 405 && status !== 410))
    return false;
  return reportsMissingRoute(report, group !== 'tasks' && group !== 'storedResponses');
}

const noRoute: FailureClass = { kind: 'unreachable', reason: 'no-such-route' };

/** An error in a reply with a success status may itself contain the status of a failure. */
function classifyInnerError(report: ErrorReport): FailureClass {
  if (reportsMissingRoute(report, false)) return noRoute;
  const status = isErrorStatus(report.code) ? report.code : findStatus(report);
  const failureClass = classifyWords(report, status ?? 0);
  if (failureClass) return failureClass;
  if (status !== undefined) return classifyStatus(status, report, 'chatCompletions');
  return { kind: blamesRequest(report) ? 'invalid-parameters' : 'server' };
}

function isErrorStatus(code: number | undefined): code is number {
  return code !== undefined && code >= 400 && code < 600;
}

function classifyStatus(status: number, report: ErrorReport, group: string): FailureClass {
  switch (status) {
    case 401:
      return { kind: 'authentication' };
    case 403:
      if (refusesRegion(report.message ?? '')) return { kind: 'unreachable', reason: 'region' };
      return { kind: 'authentication' };
    case 407:
      return { kind: 'unreachable', reason: 'proxy-credentials' };
    case 402:
      return { kind: 'quota' };
    case 404:
    case 405:
    case 410:
      return classifyMissing(status, report, group);
    case 408:
    case 424:
    case 425:
    case 499:
      return { kind: 'server' };
    case 413:
    case 414:
      return { kind: 'invalid-parameters', reason: 'too-large' };
    case 431:
      return { kind: 'invalid-parameters', reason: 'headers-too-large' };
    case 451:
      return { kind: 'unreachable', reason: 'region' };
    case 511:
      return { kind: 'unreachable', reason: 'network-sign-in' };
    case 429:
      return { kind: 'rate-limited' };
    default:
      return { kind: status >= 400 && status < 500 ? 'invalid-parameters' : 'server' };
  }
}

/** If the model list is missing, or the reply is a web page, the address is not a gateway. */
function classifyMissing(status: number, { isHtml }: ErrorReport, group: string): FailureClass {
  if (isHtml || group === 'models') return { kind: 'unreachable', reason: 'not-a-gateway' };
  if (status === 405 || group === 'tasks' || group === 'storedResponses')
    return { kind: 'invalid-parameters' };
  return { kind: 'model-unavailable' };
}

function createRedirectFailure({ status, headers, body, url }: FailedReply): FailureDetails {
  const location = Array.isArray(headers.location) ? headers.location[0] : headers.location;
  const origin = location && URL.canParse(location, url.href) ? new URL(location, url).origin : 'null';
  // An address without a host, such as javascript:, has the origin "null".
  const target = origin === 'null' ? undefined : origin;
  return {
    kind: 'unreachable',
    reason: 'redirect',
    explanation:
      target === undefined
        ? explain('redirect-without-target', { status })
        : explain('redirected', { target, status }),
    status,
    body,
  };
}

function explainClass(
  failureClass: FailureClass,
  httpStatus: number | undefined,
  waitMs: number | undefined,
): Explanation {
  if (failureClass.kind === 'rate-limited' && waitMs)
    return explain('rate-limited-for', { httpStatus, waitMs: Math.ceil(waitMs / 1000) * 1000 });
  return explain(catalogueEntry(failureClass).sentence, { httpStatus });
}

/** Servers send an empty reply to a request that they cannot read as HTTP. */
function explainEmptyRefusal(
  { kind, reason }: FailureClass,
  { message }: ErrorReport,
  httpStatus: number,
): Explanation | undefined {
  const isEmptyRefusal = kind === 'invalid-parameters' && reason === undefined && message === undefined;
  return isEmptyRefusal ? explain('request-refused-without-reason', { httpStatus }) : undefined;
}

const refusedActions: Readonly<Record<string, SentenceIdWith<'httpStatus'>>> = {
  listTasks: 'task-list-refused',
  readTask: 'task-read-refused',
  cancelTask: 'task-cancel-refused',
  deleteTask: 'task-delete-refused',
};

/** A request about an existing task has no content that the user could change. */
function explainRefusedAction(
  { route = '', status: httpStatus }: FailedReply,
  { kind, reason }: FailureClass,
): Explanation | undefined {
  const sentence = Object.hasOwn(refusedActions, route) ? refusedActions[route] : undefined;
  if (sentence === undefined || kind !== 'invalid-parameters' || reason !== undefined) return undefined;
  const isUnknown = (httpStatus === 404 || httpStatus === 410) && route !== 'listTasks';
  return explain(isUnknown ? 'task-not-found' : sentence, { httpStatus });
}

/** The failure for a web page with a success status: a captive portal, a login page, or a wrong address. */
export function createWebPageFailure(body: string): FailureDetails {
  return { kind: 'unreachable', reason: 'not-a-gateway', explanation: explain('web-page'), body };
}

export function createEmptyReplyFailure(): FailureDetails {
  return { kind: 'malformed-reply', reason: 'empty-reply', explanation: explain('reply-empty') };
}

/**
 * The failure for plain text with a success status: the kind that the text matches, otherwise an unreadable reply.
 */
export function createPlainTextFailure(text: string): FailureDetails {
  const report = readErrorBody(text);
  const failureClass = reportsMissingRoute(report, true) ? noRoute : classifyWords(report, 0);
  if (!failureClass) return createMalformedReplyFailure(explain('neither-json-nor-stream'));
  return { ...failureClass, explanation: explainClass(failureClass, undefined, undefined) };
}

/** @param explanation the problem, without text of the reply */
export function createMalformedReplyFailure(explanation: Explanation): FailureDetails {
  return { kind: 'malformed-reply', explanation };
}

export function createTooLargeReplyFailure(explanation: Explanation): FailureDetails {
  return { kind: 'malformed-reply', reason: 'too-large', explanation };
}

export function createTooManyPartsFailure(count: number): FailureDetails {
  return createTooLargeReplyFailure(explain('too-many-parts', { count }));
}

/** The failure for bytes that ended before the format's own end mark. */
export function createCutReplyFailure(): FailureDetails {
  return { kind: 'server', reason: 'cut', explanation: explain('reply-cut') };
}

export function createCancelledFailure(): FailureDetails {
  return { kind: 'cancelled', explanation: explain('call-cancelled') };
}

/** The failure for a request that violates HTTP. Nothing was sent. */
export function createUnsendableFailure(cause: unknown): FailureDetails {
  return { kind: 'invalid-parameters', explanation: explain('request-unsendable'), cause };
}
