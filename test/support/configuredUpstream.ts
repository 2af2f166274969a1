import type { IncomingHttpHeaders } from 'node:http';
import { parseConfig } from '../../src/localGateway/config/configFile.ts';
import { readRequestBody } from '../../src/localGateway/http/requestBody.ts';
import { openUpstream } from '../../src/localGateway/upstreams/kinds/upstreamKinds.ts';
import type { Upstream, UpstreamCall } from '../../src/localGateway/upstreams/upstream.ts';

/** The default key of upstreams in tests. */
export const upstreamKey = 'canary-upstream-key';

/** Opens an upstream as a configuration file would, with the required properties filled in. */
export function openConfiguredUpstream(
  config: object,
  key: () => string | undefined = () => upstreamKey,
): Upstream {
  const text = JSON.stringify({ upstreams: [{ name: 'one', ...config }] });
  const [parsed] = parseConfig(text, 'the configuration of a test').config.upstreams;
  if (!parsed) throw new Error('no upstream');
  return openUpstream(parsed, { readStored: key, readVariable: () => undefined }).upstream;
}

export interface TestCall {
  readonly request: UpstreamCall['request'];
  readonly body?: object | string;
  readonly servedModel?: string;
  readonly model: string;
  readonly headers?: IncomingHttpHeaders;
  readonly query?: string;
  readonly signal?: AbortSignal;
}

/** Creates a call as a route does. */
export function createCall({
  body = {},
  model,
  servedModel = model,
  headers = {},
  ...call
}: TestCall): UpstreamCall {
  return {
    signal: new AbortController().signal,
    ...call,
    body: readRequestBody(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))),
    headers: { 'content-type': 'application/json', ...headers },
    model,
    servedModel,
    requestId: 'request-of-test',
  };
}
