import { type Dispatcher, Pool } from 'undici';
import { decodeModelList, type Model } from '../../wire/shapes/models.ts';
import type { UpstreamConfig } from '../config.ts';
import { HttpError, invalidRequest } from '../httpError.ts';
import { describeConnectionFailure } from './connectionFailure.ts';
import type { Upstream, UpstreamCall, UpstreamReply } from './upstream.ts';

const maxModelListBytes = 8 * 1024 * 1024;
/** As long as the longest-thinking models are known to stay silent. */
const silenceMs = 600_000;

/** Reply headers that mean something to the caller; all others belong to the upstream's connection. */
const passedHeaders =
  /^(content-type|content-length|content-encoding|retry-after|retry-after-ms|x-should-retry|x-ratelimit-.*)$/;

/**
 * An upstream that speaks the chat-completions shape at `<baseUrl>/chat/completions` and lists its models
 * at `<baseUrl>/models`. Requests go to that one origin with a header list of our own; redirects are
 * refused, nothing is sent twice, and reply bytes pass through untouched.
 *
 * @param key asked once per request, so that a key may arrive or change while the gateway runs
 */
export function openaiCompatible(config: UpstreamConfig, key: () => string | undefined): Upstream {
  const base = new URL(config.baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  const pool = new Pool(base.origin, {
    connect: { timeout: 10_000 },
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });

  async function exchange(options: Omit<Dispatcher.RequestOptions, 'headers'>, requestId?: string) {
    const headers = {
      ...config.headers,
      ...authorization(),
      'accept-encoding': 'identity',
      ...(requestId !== undefined && { 'x-request-id': requestId }),
      ...(options.body != null && { 'content-type': 'application/json' }),
    };
    const reply = await pool.request({ ...options, headers }).catch((error: unknown) => {
      throw connectionError(error);
    });
    if (reply.statusCode >= 300 && reply.statusCode < 400) {
      reply.body.on('error', () => {}).destroy();
      throw redirectError(String(reply.headers.location ?? ''));
    }
    return reply;
  }

  function authorization(): { authorization?: string } {
    const value = key();
    if (value === undefined) {
      if (config.keyEnv === undefined) return {};
      throw unusable(`the environment variable ${config.keyEnv} is not set`);
    }
    if (!/^[\x21-\x7e]+$/.test(value)) throw unusable('its key holds characters no HTTP header can carry');
    return { authorization: `Bearer ${value}` };
  }

  function unusable(reason: string): HttpError {
    return upstreamError(503, `Upstream '${config.name}' cannot be used: ${reason}.`, 'upstream_unusable');
  }

  function connectionError(error: unknown): HttpError {
    const { cause, timedOut } = describeConnectionFailure(error);
    const message = `Upstream '${config.name}' at ${base.origin} did not answer: ${cause}.`;
    return timedOut
      ? upstreamError(504, message, 'upstream_timeout')
      : upstreamError(502, message, 'upstream_unreachable');
  }

  function redirectError(location: string): HttpError {
    const target = URL.canParse(location, base.href) ? new URL(location, base.href).origin : 'elsewhere';
    const message = `Upstream '${config.name}' redirected to ${target}. Redirects are not followed: set its baseUrl to the final address.`;
    return upstreamError(502, message, 'upstream_redirect');
  }

  return {
    name: config.name,
    shapes: ['chat'],

    async listModels(signal) {
      if (config.models) return config.models.map((id): Model => ({ id, owner: config.name }));
      const reply = await exchange({ method: 'GET', path: `${prefix}/models`, signal });
      const text = await readCapped(reply.body, maxModelListBytes).catch((error: unknown) => {
        throw connectionError(error);
      });
      if (reply.statusCode !== 200) {
        const message = `Upstream '${config.name}' answered ${reply.statusCode} to the request for its models.`;
        throw upstreamError(502, message, 'upstream_model_list');
      }
      const models = text === undefined ? undefined : decodeModelList(parseJson(text));
      if (models) return models;
      const message = `Upstream '${config.name}' sent no model list. Check that its baseUrl ends where /models begins, or name its models in the configuration.`;
      throw upstreamError(502, message, 'upstream_model_list');
    },

    async send(call): Promise<UpstreamReply> {
      const { requestId, signal } = call;
      const body = chatBody(call);
      const reply = await exchange(
        { method: 'POST', path: `${prefix}/chat/completions`, body, signal },
        requestId,
      );
      return { status: reply.statusCode, headers: replyHeaders(reply.headers), body: reply.body };
    },

    close: () => pool.destroy(),
  };

  /** The caller's own bytes, unless the upstream knows the model by another id. */
  function chatBody({ request, bytes, servedModel, model }: UpstreamCall): Uint8Array {
    if (request.shape !== 'chat') throw otherShape(servedModel);
    if (model === servedModel) return bytes;
    try {
      return Buffer.from(JSON.stringify({ ...request.body, model }));
    } catch {
      throw invalidRequest('The body is nested too deeply to be passed on.', 'invalid_json');
    }
  }

  function otherShape(model: string): HttpError {
    const message = `The model "${model.slice(0, 100)}" comes from upstream '${config.name}', which speaks the chat-completions shape alone. Ask for it with POST /v1/chat/completions.`;
    return invalidRequest(message, 'unsupported_shape', 'model');
  }

  function replyHeaders(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
    const passed = Object.entries(headers).filter(([name]) => passedHeaders.test(name));
    const upstreamRequestId = headers['x-request-id'];
    return {
      ...Object.fromEntries(passed.map(([name, value]) => [name, String(value)])),
      ...(upstreamRequestId !== undefined && { 'x-upstream-request-id': String(upstreamRequestId) }),
      'x-upstream': config.name,
    };
  }
}

function upstreamError(status: number, message: string, code: string): HttpError {
  return new HttpError({ status, message, type: 'upstream_error', code });
}

async function readCapped(body: AsyncIterable<Uint8Array>, cap: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > cap) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
