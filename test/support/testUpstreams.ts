import type { ServerResponse } from 'node:http';
import { type RunningGateway, startGateway } from './gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from './scriptedUpstream.ts';

export interface TestUpstreams {
  startScriptedUpstream(
    reply: (request: UpstreamRequest, res: ServerResponse) => void,
  ): Promise<ScriptedUpstream>;
  startGatewayFor(
    upstreams: readonly object[],
    options?: { readonly demo?: boolean; readonly env?: Record<string, string> },
  ): Promise<RunningGateway>;
  /** Also stops this after the test. */
  stopAfterTest(server: { stop(): unknown }): void;
}

/** Returns functions that start upstreams and gateways, and stops these after each test. Call it in a `describe`. */
export function setUpUpstreams(): TestUpstreams {
  const open: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });
  return {
    stopAfterTest: (server) => void open.push(server),
    async startScriptedUpstream(reply) {
      const upstream = await startUpstream(reply);
      open.push({ stop: () => upstream.close() });
      return upstream;
    },
    async startGatewayFor(upstreams, { demo = false, env = {} } = {}) {
      const gateway = await startGateway({ demo, config: { upstreams }, env });
      open.push(gateway);
      return gateway;
    },
  };
}

/** Creates the configuration of an upstream. */
export function createUpstreamConfig(name: string, baseUrl: string, more: object = {}): object {
  return { name, kind: 'openai-compatible', baseUrl, ...more };
}
