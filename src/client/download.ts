import { performance } from 'node:perf_hooks';
import {
  createPublicLookup,
  findForbiddenReason,
  type IsPublic,
  isPublicAddress,
} from '../http/publicAddress.ts';
import { findRedirectTarget, maxRedirects } from '../http/redirects.ts';
import type { GatewayError } from '../wire/failures/gatewayError.ts';
import { type HeaderNames, resolveHeaderNames } from '../wire/headerNames.ts';
import type { CredentialHeader } from '../wire/routes.ts';
import { redact } from '../wire/secrets/redact.ts';
import { containsSecret } from '../wire/secrets/secretForms.ts';
import {
  type CallIdentity,
  createCallIdentity,
  createExchangeError,
  createUnsentError,
} from './callIdentity.ts';
import { readCredential, renewRefusedCredential, writeCredentialHeader } from './credential.ts';
import { createForbiddenAddressFailure, rewordDownloadFailure } from './downloadFailure.ts';
import { DownloadSink } from './downloadSink.ts';
import { type Attempt, type ExchangePlan, sendWithRetry } from './exchange.ts';
import { type RequestSecrets, readExtraHeaders, readRequestSecrets } from './extraHeaders.ts';
import { findAddressProblem } from './gatewayAddress.ts';
import { defaultTimeouts } from './requestTimeouts.ts';
import type { ConnectionOptions } from './transports/transport.ts';
import { createGatewayTransports, TransportChoice } from './transports/transportChoice.ts';
import type { ClientOptions, Downloaded, DownloadOptions, DownloadTarget } from './types.ts';

/** Lets tests use a local server instead of one on the Internet. */
interface OtherOrigins extends ConnectionOptions {
  readonly isPublic?: IsPublic;
}

/** One request of a download. */
interface DownloadStep {
  readonly url: URL;
  /**
   * Whether the request goes to the gateway itself, with the credential. After a redirect to another origin the
   * credential is not sent again.
   */
  readonly isGateway: boolean;
  readonly header: CredentialHeader;
  readonly from: DownloadOptions['from'];
  readonly redirects: number;
  /** Whether the gateway has already refused the credential in the other header. */
  readonly wasRefused: boolean;
  /** The credential that replaced a refused one. */
  readonly renewedCredential?: string;
}

/** The credential and the extra headers of a request to another origin. */
const noSecrets: RequestSecrets = { credential: undefined, headers: {}, secrets: [] };

/**
 * Downloads files whose addresses are in replies of a gateway. Only requests to the gateway's own origin carry the
 * credential. Other origins must use https and have a public address, unless the user allowed the origin.
 */
export class Downloader {
  readonly #options: ClientOptions;
  readonly #headerNames: HeaderNames;
  readonly #isPublic: IsPublic;
  readonly #gatewayTransport: TransportChoice;
  readonly #publicTransport: TransportChoice;
  /** For origins that the user allowed. Their addresses may be private. */
  readonly #allowedTransport: TransportChoice;

  constructor(options: ClientOptions, { isPublic = isPublicAddress, ...others }: OtherOrigins = {}) {
    this.#options = options;
    this.#headerNames = resolveHeaderNames(options.headers);
    this.#isPublic = isPublic;
    this.#gatewayTransport = createGatewayTransports(options);
    this.#publicTransport = new TransportChoice(options, {
      ...others,
      lookup: createPublicLookup(isPublic, others.lookup),
    });
    this.#allowedTransport = new TransportChoice(options, others);
  }

  /**
   * Downloads one file into `target` and follows up to five redirects, each of which is checked. If the rest of a
   * file was requested but is not available, it downloads the whole file; `begin` then reports the offset 0.
   *
   * @throws {GatewayError} for a failed download, as `cancelled` if the signal is aborted; `target` keeps the
   * received bytes
   * @throws any error that `target` throws
   */
  async download(
    address: string,
    target: DownloadTarget,
    options: DownloadOptions = {},
  ): Promise<Downloaded> {
    const identity = createCallIdentity(options);
    let step = this.#createFirstStep(address, options, identity);
    for (;;) {
      const outcome = await this.#sendStep(step, target, options, identity);
      if ('bytes' in outcome) return outcome;
      step = outcome;
    }
  }

  close(): void {
    this.#gatewayTransport.close();
    this.#publicTransport.close();
    this.#allowedTransport.close();
  }

  #createFirstStep(
    address: string,
    { credential = 'bearer', from }: DownloadOptions,
    identity: CallIdentity,
  ): DownloadStep {
    if (!URL.canParse(address))
      throw createUnsentError(createForbiddenAddressFailure('not-https', 'unreadable'), identity);
    const url = new URL(address);
    const isGateway = this.#isGateway(url);
    return {
      url: isGateway ? toMediaUrl(url) : url,
      isGateway,
      header: credential,
      from,
      redirects: 0,
      wasRefused: false,
    };
  }

  #isGateway({ origin, username, password }: URL): boolean {
    const { baseUrl, plainHttp } = this.#options;
    return (
      findAddressProblem(baseUrl, plainHttp) === undefined &&
      origin === new URL(baseUrl).origin &&
      !username &&
      !password
    );
  }

  /** Whether the user allowed the origin for this gateway's results. The credential is not sent there either. */
  #isAllowed({ origin, username, password }: URL): boolean {
    return this.#options.resultOrigins?.includes(origin) === true && !username && !password;
  }

  /**
   * Sends one request of a download.
   *
   * @returns the next request, or the finished download
   */
  async #sendStep(
    step: DownloadStep,
    target: DownloadTarget,
    options: DownloadOptions,
    identity: CallIdentity,
  ): Promise<DownloadStep | Downloaded> {
    const { url, isGateway, from } = step;
    if (!isGateway) await this.#rejectCredentialInUrl(url, options, identity);
    const isAllowed = !isGateway && this.#isAllowed(url);
    const refusal = isGateway || isAllowed ? undefined : findForbiddenReason(url, this.#isPublic);
    if (refusal)
      throw createUnsentError(createForbiddenAddressFailure(refusal, url.host || url.protocol), identity);
    const { signal } = options;
    const secrets = isGateway
      ? await readRequestSecrets(this.#options, this.#headerNames, signal, identity, step.renewedCredential)
      : noSecrets;
    const { maxBytes = Number.POSITIVE_INFINITY, onProgress } = options;
    const sink = new DownloadSink(target, { host: url.host, from: from?.bytes ?? 0, maxBytes, onProgress });
    const plan = this.#createPlan(step, sink, secrets, options, identity);
    const transports = isGateway
      ? this.#gatewayTransport
      : isAllowed
        ? this.#allowedTransport
        : this.#publicTransport;
    const attempt = await sendWithRetry(plan, transports).finally(() => sink.flush());
    const next =
      attempt.failure && (await this.#findNextStep(step, attempt, sink, secrets.credential, signal));
    const failure = next
      ? undefined
      : attempt.failure && rewordDownloadFailure(attempt.failure, url.host, isGateway);
    const error =
      failure &&
      createExchangeError(attempt.exchange, failure, identity, [...secrets.secrets, url.search.slice(1)]);
    this.#report(step, attempt, identity, error);
    if (error) throw error;
    return next ?? { from: 0, ...sink.downloadHead, bytes: sink.receivedBytes, source: removeQuery(url) };
  }

  /**
   * Refuses an address of another origin that contains the credential or a secret header, even in its host name.
   * A gateway could use such an address to send the secret to another server.
   */
  async #rejectCredentialInUrl(url: URL, { signal }: DownloadOptions, identity: CallIdentity): Promise<void> {
    const reading = await readCredential(this.#options.credential, signal);
    const extraHeaders = await readExtraHeaders(this.#options.extraHeaders, new Set(), signal);
    // An unreadable credential cannot be compared.
    const credential = 'failure' in reading ? undefined : reading.credential;
    const secrets = [
      ...(credential === undefined ? [] : [credential]),
      ...('failure' in extraHeaders ? [] : extraHeaders.secrets),
    ];
    if (!secrets.some((secret) => containsSecret(url.href, secret))) return;
    throw createUnsentError(
      createForbiddenAddressFailure('contains-own-credential', redact(url.host, secrets)),
      identity,
    );
  }

  #createPlan(
    { url, isGateway, header, from }: DownloadStep,
    sink: DownloadSink,
    { credential, headers }: RequestSecrets,
    options: DownloadOptions,
    { requestId, startedAt }: CallIdentity,
  ): ExchangePlan {
    return {
      request: {
        method: 'GET',
        url,
        headers: {
          ...headers,
          accept: '*/*',
          // Lengths and ranges then count the bytes of the file itself.
          'accept-encoding': 'identity',
          'user-agent': 'model-gateway',
          ...(isGateway && { 'x-request-id': requestId }),
          ...(credential !== undefined && writeCredentialHeader(header, credential, this.#headerNames)),
          ...(from && { range: `bytes=${from.bytes}-`, 'if-range': from.validator }),
        },
      },
      group: 'tasks',
      // A download has no total limit as long as bytes arrive.
      timeouts: { ...defaultTimeouts, ...this.#options.timeouts, total: 0, ...options.timeouts },
      startedAt,
      signal: options.signal,
      sink,
    };
  }

  async #findNextStep(
    step: DownloadStep,
    attempt: Attempt,
    sink: DownloadSink,
    credential: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<DownloadStep | undefined> {
    const { url, isGateway, header, from, redirects, wasRefused } = step;
    const { status = 0, headers } = attempt.exchange;
    if (from && (status === 416 || sink.isWrongPart)) return { ...step, from: undefined };
    if (isGateway && step.renewedCredential === undefined) {
      const renewedCredential = await renewRefusedCredential(this.#options, credential, attempt, signal);
      if (renewedCredential !== undefined) return { ...step, renewedCredential };
    }
    if (isGateway && !wasRefused && (status === 401 || status === 403)) {
      return { ...step, header: header === 'bearer' ? 'vendor-api-key' : 'bearer', wasRefused: true };
    }
    const target = redirects < maxRedirects ? findRedirectTarget(status, headers, url) : undefined;
    return (
      target && {
        ...step,
        url: target,
        isGateway: isGateway && this.#isGateway(target),
        redirects: redirects + 1,
      }
    );
  }

  #report(
    { url }: DownloadStep,
    { exchange, transport }: Attempt,
    { requestId, requestedAt, startedAt }: CallIdentity,
    error: GatewayError | undefined,
  ): void {
    const { status, headersMs, bytesReceived } = exchange;
    this.#options.onExchange?.({
      route: 'download',
      method: 'GET',
      url: removeQuery(url),
      requestId,
      requestedAt,
      ...(status !== undefined && { status }),
      ...(headersMs !== undefined && { headersMs }),
      totalMs: performance.now() - startedAt,
      bytesReceived,
      transport,
      ...(error && { failure: error.message, error }),
    });
  }
}

/** Without `alt=media`, the address of a file in the interactions format returns metadata instead of the file. */
function toMediaUrl(url: URL): URL {
  const media = new URL(url);
  if (/\/files\/[^/]+$/.test(url.pathname) && !url.searchParams.has('alt')) {
    media.searchParams.set('alt', 'media');
  }
  return media;
}

/** Removes the query from an address for logs and messages, because it may grant access. */
function removeQuery({ origin, pathname }: URL): string {
  return origin + pathname;
}
