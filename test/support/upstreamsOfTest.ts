import type { ServerResponse } from 'node:http';
import { type RunningGateway, startGateway } from './gatewayProcess.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from './scriptedUpstream.ts';

export interface UpstreamsOfTest {
  upstreamThat(answer: (request: UpstreamRequest, res: ServerResponse) => void): Promise<ScriptedUpstream>;
  gatewayFor(
    upstreams: readonly object[],
    options?: { readonly demo?: boolean; readonly env?: Record<string, string> },
  ): Promise<RunningGateway>;
  /** Also stops this after the test. */
  keepOpen(it: { stop(): unknown }): void;
}

/** Starts upstreams and the gateways in front of them, and stops them after each test. Call it in a `describe`. */
export function upstreamsOfTest(): UpstreamsOfTest {
  const open: { stop(): unknown }[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.stop();
  });
  return {
    keepOpen: (it) => void open.push(it),
    async upstreamThat(answer) {
      const upstream = await startUpstream(answer);
      open.push({ stop: () => upstream.close() });
      return upstream;
    },
    async gatewayFor(upstreams, { demo = false, env = {} } = {}) {
      const gateway = await startGateway({ demo, config: { upstreams }, env });
      open.push(gateway);
      return gateway;
    },
  };
}

/** The configuration of an upstream. */
export function upstreamConfig(name: string, baseUrl: string, more: object = {}): object {
  return { name, kind: 'openai-compatible', baseUrl, ...more };
}
