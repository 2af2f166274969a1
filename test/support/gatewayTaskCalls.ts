import { setTimeout as wait } from 'node:timers/promises';
import { createGatewayClient, type GatewayClient } from '../../src/client/gatewayClient.ts';
import type { InteractionsRequest } from '../../src/wire/apis/interactions/schema.ts';
import type { TaskSnapshot } from '../../src/wire/apis/taskRecord/snapshot.ts';
import type { VideoSynthesisRequest } from '../../src/wire/apis/videoSynthesis/schema.ts';
import type { RunningGateway } from './gatewayProcess.ts';

/** Creates the project's own client of a running gateway. */
export function createClient({ baseUrl, credential }: RunningGateway): GatewayClient {
  return createGatewayClient({ baseUrl, credential: async () => credential });
}

/** Creates a request for a demo video in the interactions format. Phrases of the prompt control the demo. */
export function createVideoInteraction(
  input: string,
  change: Partial<InteractionsRequest> = {},
): InteractionsRequest {
  return { model: 'demo/video', input, response_format: { type: 'video' }, ...change };
}

/** Creates such a request in the format of the native video synthesis. */
export function createVideoSynthesis(
  prompt: string,
  parameters: VideoSynthesisRequest['parameters'] = {},
): VideoSynthesisRequest {
  return { model: 'demo/video', input: { prompt }, parameters };
}

/** Reads a task until `isExpected` accepts the record. */
export async function readUntil(
  client: GatewayClient,
  id: string,
  isExpected: (task: TaskSnapshot) => boolean,
): Promise<TaskSnapshot> {
  for (;;) {
    const task = await client.readTask(id);
    if (isExpected(task)) return task;
    await wait(50);
  }
}

export const hasEnded = ({ status }: TaskSnapshot): boolean => status !== 'running';

export interface SentCall {
  /** A path, or an address of this gateway. */
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply that was read to its end, so that its connection is free again. */
export interface ReadReply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Buffer;
  /** The bytes parsed as JSON, if they are JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of any shape
  readonly json: any;
}

/** Calls a route of the gateway as any program would. Uses POST for a request with a body by default. */
export async function sendCall(gateway: RunningGateway, sent: SentCall): Promise<ReadReply> {
  const { path, body, method = body ? 'POST' : 'GET' } = sent;
  const isInteraction = path.endsWith('/interactions');
  const response = await fetch(new URL(path, gateway.baseUrl), {
    method,
    headers: {
      'content-type': 'application/json',
      ...(isInteraction
        ? { 'x-vendor-api-key': gateway.credential }
        : { authorization: `Bearer ${gateway.credential}` }),
      ...sent.headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    json: isJson ? JSON.parse(bytes.toString()) : undefined,
  };
}
