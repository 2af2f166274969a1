import type { ServerResponse } from 'node:http';
import { createChatBody, postChat } from './chatCompletionsCalls.ts';
import { type RunningGateway, startGateway } from './gatewayProcess.ts';
import type { ScriptedUpstream } from './scriptedUpstream.ts';
import { setUpUpstreams } from './testUpstreams.ts';

/** The models of an alias, at two upstreams. */
export const models: readonly string[] = ['one/m', 'two/m'];

/** The address of an upstream that does not exist: the port is closed. */
export const unreachableUrl = 'http://127.0.0.1:9/v1';

/**
 * Returns functions that start upstreams and gateways with aliases, and stops these after each test. Call it in a
 * `describe`.
 */
export function setUpAliases() {
  const { startScriptedUpstream, stopAfterTest } = setUpUpstreams();

  /** Starts an upstream that lists the model `m`. The test writes its other replies. */
  function startModelUpstream(reply: (res: ServerResponse) => void): Promise<ScriptedUpstream> {
    return startScriptedUpstream(({ method }, res) => {
      if (method === 'GET') res.end('{"data":[{"id":"m","context_length":8}]}');
      else reply(res);
    });
  }

  return {
    stopAfterTest,
    startModelUpstream,
    startWorkingUpstream: () => startModelUpstream((res) => res.end('{"fine":true}')),
    startFailingUpstream: (code: number, headers: Record<string, string> = {}) =>
      startModelUpstream((res) => res.writeHead(code, headers).end(`{"error":{"message":"says ${code}"}}`)),

    async startGatewayWith(
      upstreams: readonly object[],
      aliases: readonly object[],
      args: readonly string[] = [],
    ): Promise<RunningGateway> {
      const gateway = await startGateway({ demo: false, config: { upstreams, aliases }, args });
      stopAfterTest(gateway);
      return gateway;
    },
  };
}

export function postJson(
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

export function sendChat(gateway: RunningGateway, fields: object = {}): Promise<Response> {
  return postChat(gateway, { body: createChatBody('hi', { model: 'fast', ...fields }) });
}

/** Lists the models of the requests, in their order. */
export function listRequestedModels({ requests }: ScriptedUpstream): readonly unknown[] {
  return requests
    .filter(({ method }) => method === 'POST')
    .map(({ body }) => JSON.parse(body.toString()).model);
}
