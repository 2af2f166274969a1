import type { ServerResponse } from 'node:http';
import { ask, postChat } from './chatCompletionsCalls.ts';
import { type RunningGateway, startGateway } from './gatewayProcess.ts';
import type { ScriptedUpstream } from './scriptedUpstream.ts';
import { upstreamsOfTest } from './upstreamsOfTest.ts';

/** The models of an alias, at two upstreams. */
export const models: readonly string[] = ['one/m', 'two/m'];

/** The address of an upstream that does not exist: the port is closed. */
export const unreachableUrl = 'http://127.0.0.1:9/v1';

/** Upstreams and gateways with aliases, which end after each test. Call it in a `describe`. */
export function aliasesOfTest() {
  const { upstreamThat, keepOpen } = upstreamsOfTest();

  /** An upstream that lists the model m. The test decides its other replies. */
  function that(answer: (res: ServerResponse) => void): Promise<ScriptedUpstream> {
    return upstreamThat(({ method }, res) => {
      if (method === 'GET') res.end('{"data":[{"id":"m","context_length":8}]}');
      else answer(res);
    });
  }

  return {
    keepOpen,
    that,
    fine: () => that((res) => res.end('{"fine":true}')),
    status: (code: number, headers: Record<string, string> = {}) =>
      that((res) => res.writeHead(code, headers).end(`{"error":{"message":"says ${code}"}}`)),

    async gatewayWith(
      upstreams: readonly object[],
      aliases: readonly object[],
      args: readonly string[] = [],
    ): Promise<RunningGateway> {
      const gateway = await startGateway({ demo: false, config: { upstreams, aliases }, args });
      keepOpen(gateway);
      return gateway;
    },
  };
}

export function call(
  gateway: RunningGateway,
  path: string,
  body: object,
  headers: object = {},
): Promise<Response> {
  return fetch(gateway.baseUrl + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.credential}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

export function chat(gateway: RunningGateway, fields: object = {}): Promise<Response> {
  return postChat(gateway, { body: ask('hi', { model: 'fast', ...fields }) });
}

/** The models of the requests, in their order. */
export function requestedModels({ requests }: ScriptedUpstream): readonly unknown[] {
  return requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body.toString()).model);
}
