import { performance } from 'node:perf_hooks';
import { forbidden, type IsPublic, isPublicAddress, publicLookup } from '../http/publicAddress.ts';
import { maxRedirects, redirectTarget } from '../http/redirects.ts';
import type { GatewayError } from '../wire/failure.ts';
import { type HeaderNames, headerNames } from '../wire/headerNames.ts';
import type { CredentialHeader } from '../wire/routes.ts';
import { redact } from '../wire/secrets/redact.ts';
import { holdsSecret } from '../wire/secrets/secretForms.ts';
import { addressProblem } from './address.ts';
import { type Attempt, attempt } from './attempt.ts';
import { type CallIdentity, failed, identify, unsent } from './call.ts';
import { credentialHeader, readCredential } from './credential.ts';
import { explainDownload, notFetched } from './downloadFailure.ts';
import { DownloadSink } from './downloadSink.ts';
import type { ExchangePlan } from './exchange.ts';
import { defaultTimeouts } from './timeouts.ts';
import { gatewayTransports, TransportChoice } from './transports/choose.ts';
import type { Connecting } from './transports/transport.ts';
import type { ClientOptions, Downloaded, DownloadOptions, DownloadTarget } from './types.ts';

/** Lets tests use a server of their own in place of one on the Internet. */
export interface OtherOrigins extends Connecting {
  readonly isPublic?: IsPublic;
}

/** One request of a download. */
interface Step {
  readonly url: URL;
  /**
   * Whether the request goes to the gateway itself, with the credential. After a redirect to another origin
   * no request carries it again.
   */
  readonly own: boolean;
  readonly header: CredentialHeader;
  readonly from: DownloadOptions['from'];
  readonly redirects: number;
  /** Whether the gateway has refused the credential in the other header. */
  readonly refused: boolean;
}

/**
 * Downloads files that a gateway's replies name: from the gateway's own origin with the credential, from any
 * other origin without it. Other origins must use https and have a public address, unless the user allowed
 * the origin.
 */
export class Downloader {
  readonly #options: ClientOptions;
  readonly #headerNames: HeaderNames;
  readonly #isPublic: IsPublic;
  readonly #atGateway: TransportChoice;
  readonly #elsewhere: TransportChoice;
  /** For origins that the user allowed; their addresses may be private. */
  readonly #atAllowed: TransportChoice;

  constructor(options: ClientOptions, { isPublic = isPublicAddress, ...others }: OtherOrigins = {}) {
    this.#options = options;
    this.#headerNames = headerNames(options.headers);
    this.#isPublic = isPublic;
    this.#atGateway = gatewayTransports(options);
    this.#elsewhere = new TransportChoice(options, {
      ...others,
      lookup: publicLookup(isPublic, others.lookup),
    });
    this.#atAllowed = new TransportChoice(options, others);
  }

  /**
   * Downloads one file into `target` and follows up to five redirects, each checked anew. When the rest of a
   * file was asked for but is not available, the file comes from its beginning, which `begin` tells.
   *
   * @throws {GatewayError} for a failure on the way, as `cancelled` when the signal is aborted; `target`
   * keeps what came
   * @throws what `target` throws
   */
  async download(
    address: string,
    target: DownloadTarget,
    options: DownloadOptions = {},
  ): Promise<Downloaded> {
    const identity = identify(options);
    let step = this.#first(address, options, identity);
    for (;;) {
      const outcome = await this.#take(step, target, options, identity);
      if ('bytes' in outcome) return outcome;
      step = outcome;
    }
  }

  close(): void {
    this.#atGateway.close();
    this.#elsewhere.close();
    this.#atAllowed.close();
  }

  #first(address: string, { credential = 'bearer', from }: DownloadOptions, identity: CallIdentity): Step {
    if (!URL.canParse(address)) throw unsent(notFetched('not-https', 'unreadable'), identity);
    const url = new URL(address);
    const own = this.#isOwn(url);
    return { url: own ? asMedia(url) : url, own, header: credential, from, redirects: 0, refused: false };
  }

  #isOwn({ origin, username, password }: URL): boolean {
    const { baseUrl, plainHttp } = this.#options;
    return (
      addressProblem(baseUrl, plainHttp) === undefined &&
      origin === new URL(baseUrl).origin &&
      !username &&
      !password
    );
  }

  /**
   * Whether the user allowed the origin for this gateway's results. The credential does not go there either.
   */
  #isAllowed({ origin, username, password }: URL): boolean {
    return this.#options.resultOrigins?.includes(origin) === true && !username && !password;
  }

  /**
   * Sends one request of a download.
   *
   * @returns the next request, or the finished download
   */
  async #take(
    step: Step,
    target: DownloadTarget,
    options: DownloadOptions,
    identity: CallIdentity,
  ): Promise<Step | Downloaded> {
    const { url, own, from } = step;
    if (!own) await this.#keepCredentialHome(url, options, identity);
    const allowed = !own && this.#isAllowed(url);
    const refusal = own || allowed ? undefined : forbidden(url, this.#isPublic);
    if (refusal) throw unsent(notFetched(refusal, url.host || url.protocol), identity);
    const credential = own ? await this.#credential(options, identity) : undefined;
    const { maxBytes = Number.POSITIVE_INFINITY, onProgress } = options;
    const sink = new DownloadSink(target, { host: url.host, from: from?.bytes ?? 0, maxBytes, onProgress });
    const plan = this.#plan(step, sink, credential, options, identity);
    const transports = own ? this.#atGateway : allowed ? this.#atAllowed : this.#elsewhere;
    const last = await attempt(plan, transports).finally(() => sink.settled());
    const next = last.failure && this.#next(step, last, sink);
    const failure = next ? undefined : last.failure && explainDownload(last.failure, url.host, own);
    const error =
      failure && failed(last.exchange, failure, identity, [credential ?? '', url.search.slice(1)]);
    this.#report(step, last, identity, error);
    if (error) throw error;
    return next ?? { from: 0, ...sink.begun, bytes: sink.received, source: withoutQuery(url) };
  }

  async #credential({ signal }: DownloadOptions, identity: CallIdentity): Promise<string | undefined> {
    const reading = await readCredential(this.#options.credential, signal);
    if ('failure' in reading) throw unsent(reading.failure, identity);
    return reading.credential;
  }

  /** A gateway may write into an address elsewhere what it was sent, into the name of its host too (P1). */
  async #keepCredentialHome(url: URL, { signal }: DownloadOptions, identity: CallIdentity): Promise<void> {
    const reading = await readCredential(this.#options.credential, signal);
    // Without a readable credential there is none to be kept from going out.
    const credential = 'failure' in reading ? undefined : reading.credential;
    if (credential === undefined || !holdsSecret(url.href, credential)) return;
    throw unsent(notFetched('holds-own-credential', redact(url.host, [credential])), identity);
  }

  #plan(
    { url, own, header, from }: Step,
    sink: DownloadSink,
    credential: string | undefined,
    options: DownloadOptions,
    { requestId, startedAt }: CallIdentity,
  ): ExchangePlan {
    return {
      request: {
        method: 'GET',
        url,
        headers: {
          accept: '*/*',
          // Lengths and ranges then count the bytes of the file itself.
          'accept-encoding': 'identity',
          'user-agent': 'model-gateway',
          ...(own && { 'x-request-id': requestId }),
          ...(credential !== undefined && credentialHeader(header, credential, this.#headerNames)),
          ...(from && { range: `bytes=${from.bytes}-`, 'if-range': from.validator }),
        },
      },
      group: 'tasks',
      // A download may take any time as long as bytes arrive.
      timeouts: { ...defaultTimeouts, ...this.#options.timeouts, total: 0, ...options.timeouts },
      startedAt,
      signal: options.signal,
      sink,
    };
  }

  #next(step: Step, { exchange: { status = 0, headers } }: Attempt, sink: DownloadSink): Step | undefined {
    const { url, own, header, from, redirects, refused } = step;
    if (from && (status === 416 || sink.wrongPart)) return { ...step, from: undefined };
    if (own && !refused && (status === 401 || status === 403)) {
      return { ...step, header: header === 'bearer' ? 'vendor-api-key' : 'bearer', refused: true };
    }
    const target = redirects < maxRedirects ? redirectTarget(status, headers, url) : undefined;
    return target && { ...step, url: target, own: own && this.#isOwn(target), redirects: redirects + 1 };
  }

  #report(
    { url }: Step,
    { exchange, transport }: Attempt,
    { requestId, requestedAt, startedAt }: CallIdentity,
    error: GatewayError | undefined,
  ): void {
    const { status, headersMs, bytesReceived } = exchange;
    this.#options.onExchange?.({
      route: 'download',
      method: 'GET',
      url: withoutQuery(url),
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

/** The address of a file in the interactions format returns its metadata. `alt=media` returns the file. */
function asMedia(url: URL): URL {
  const media = new URL(url);
  if (/\/files\/[^/]+$/.test(url.pathname) && !url.searchParams.has('alt')) {
    media.searchParams.set('alt', 'media');
  }
  return media;
}

/** Logs and messages get an address without its query, which may grant access. */
function withoutQuery({ origin, pathname }: URL): string {
  return origin + pathname;
}
