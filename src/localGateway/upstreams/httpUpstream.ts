import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { parseJson } from '../../base/json.ts';
import { decodeModelList, type Model } from '../../wire/apis/models/modelList.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import { type HttpError, invalidRequest } from '../httpError.ts';
import { createDispatcher } from './dispatcher.ts';
import { forwardedHeaders } from './forwardedHeaders.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from './upstream.ts';
import { type HttpReply, UpstreamExchange } from './upstreamExchange.ts';
import {
  readCapped,
  redirected,
  refused,
  refusesCredential,
  unanswered,
  unusable,
  upstreamError,
} from './upstreamFailure.ts';
import type { UpstreamConfig } from './upstreamFields.ts';

const maxModelListBytes = 8 * 1024 * 1024;

/** The reply headers for the caller. All others belong to the connection to the upstream. */
const passedHeaders =
  /^(content-type|content-length|content-encoding|retry-after|retry-after-ms|x-should-retry|x-ratelimit-.*)$/;

/** A request to an upstream, below its base URL. */
interface UpstreamRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly requestId?: string;
  readonly body?: Uint8Array;
  readonly signal: AbortSignal;
}

/** In what the APIs of upstreams differ. */
export interface UpstreamApi {
  /** The format of its requests. */
  readonly format: TextFormatId;
  /** Where it takes them, below its base URL. */
  readonly path: string;
  /** The headers that carry the key. */
  credential(key: string): Readonly<Record<string, string>>;
}

/**
 * Creates an upstream that serves one API format over HTTP and lists its models at `<baseUrl>/models`. Requests
 * go to that origin only, with the caller's headers but for those of the caller's connection, and with this
 * gateway's key. Redirects are refused, nothing is sent twice, and the bytes of replies stay unchanged.
 *
 * @param key called once for each request, so that a key may arrive or change while the gateway runs
 * @param env names the proxies
 */
export function httpUpstream(
  api: UpstreamApi,
  config: UpstreamConfig,
  key: () => string | undefined,
  env: NodeJS.ProcessEnv = process.env,
): Upstream {
  const base = new URL(config.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const identity = { name: config.name, origin: base.origin, keyEnv: config.keyEnv };
  const ownHeaders = Object.fromEntries(
    Object.entries(config.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  let way: Dispatcher | undefined;

  async function exchange({ path, headers, requestId, ...asked }: UpstreamRequest): Promise<HttpReply> {
    const secret = usableKey();
    const options = {
      method: asked.method,
      body: asked.body,
      origin: base.origin,
      path: prefix + path,
      headers: {
        'accept-encoding': 'identity',
        ...forwardedHeaders(headers),
        ...ownHeaders,
        ...(secret !== undefined && api.credential(secret)),
        ...(requestId !== undefined && { 'x-request-id': requestId }),
      },
    };
    const reply = await replyTo(options, asked.signal);
    if (reply.statusCode >= 300 && reply.statusCode < 400) {
      reply.body.destroy();
      throw redirected(identity, String(reply.headers.location ?? ''), secret);
    }
    if (refusesCredential(reply.statusCode)) throw await refused(identity, reply, secret);
    return reply;
  }

  async function replyTo(options: Dispatcher.DispatchOptions, signal: AbortSignal): Promise<HttpReply> {
    let sending: UpstreamExchange | undefined;
    try {
      way ??= createDispatcher(base, env);
      sending = new UpstreamExchange(way, options, signal);
      return await sending.reply;
    } catch (error) {
      throw unanswered(identity, error, sending?.isSent ?? false);
    }
  }

  function usableKey(): string | undefined {
    const value = key();
    if (value === undefined && config.keyEnv !== undefined)
      throw unusable(identity, `the environment variable ${config.keyEnv} is not set`);
    if (value !== undefined && !/^[\x21-\x7e]+$/.test(value))
      throw unusable(identity, 'its key holds characters no HTTP header can carry');
    return value;
  }

  return {
    name: config.name,
    formats: [api.format],

    async listModels(signal) {
      if (config.models) return config.models.map((id): Model => ({ id, owner: config.name }));
      const reply = await exchange({ method: 'GET', path: '/models', headers: {}, signal });
      const bytes = await readCapped(reply.body, maxModelListBytes).catch((error: unknown) => {
        throw unanswered(identity, error, true);
      });
      if (reply.statusCode !== 200) {
        const message = `Upstream '${config.name}' answered ${reply.statusCode} to the request for its models.`;
        throw upstreamError(502, message, 'upstream_model_list');
      }
      const models = bytes && decodeModelList(parseJson(bytes.toString()));
      if (models) return models;
      const message = `Upstream '${config.name}' sent no model list. Check that its baseUrl ends where /models begins, or name its models in the configuration.`;
      throw upstreamError(502, message, 'upstream_model_list');
    },

    async send(call): Promise<UpstreamReply> {
      const { headers, requestId, signal } = call;
      const body = bodyOf(call);
      const asked = { method: 'POST', path: api.path, headers, requestId, body, signal } as const;
      const reply = await exchange(asked);
      return { status: reply.statusCode, headers: replyHeaders(reply.headers), body: reply.body };
    },

    close: async () => way?.destroy(),
    drain: async () => way?.close(),
  };

  /** The caller's own bytes, with the upstream's id of the model where it differs. */
  function bodyOf({ request, body, servedModel, model }: UpstreamCall): Uint8Array {
    if (request.format !== api.format) throw otherFormat(servedModel);
    return model === servedModel ? body.bytes : body.withModel(model);
  }

  function otherFormat(model: string): HttpError {
    const { label, route } = textFormat(api.format);
    const message = `The model "${model.slice(0, 100)}" comes from upstream '${config.name}', which serves only ${label}. Ask for it with ${route.method} ${route.path}.`;
    return invalidRequest(message, 'unsupported_api_format', 'model');
  }

  function replyHeaders(headers: IncomingHttpHeaders): Record<string, string> {
    const passed: Record<string, string> = {};
    for (const name of Object.keys(headers)) {
      if (passedHeaders.test(name)) passed[name] = String(headers[name]);
    }
    const upstreamRequestId = headers['x-request-id'];
    if (upstreamRequestId !== undefined) passed['x-upstream-request-id'] = String(upstreamRequestId);
    passed['x-upstream'] = config.name;
    return passed;
  }
}
