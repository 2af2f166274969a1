import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the gateway received it. */
export interface ReceivedChat {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** A gateway whose chat replies a test writes. */
export interface ScriptedGateway {
  readonly baseUrl: string;
  readonly requests: readonly ReceivedChat[];
  close(): Promise<void>;
}

export type ChatScript = (response: ServerResponse, request: ReceivedChat) => void;

/** A model: its id, or its entry in the list. */
export type ScriptedModel = string | { readonly id: string; readonly [field: string]: unknown };

/**
 * Starts a gateway on this machine that lists `models` and replies to chats with `script`.
 *
 * @param deployments the data of `/v1/model/info`, as in LiteLLM; other gateways do not have this route
 * @param listed resolves when the list of models may be sent
 */
export async function startScriptedGateway(
  models: readonly ScriptedModel[],
  script: ChatScript,
  deployments?: readonly object[],
  listed?: Promise<void>,
): Promise<ScriptedGateway> {
  const requests: ReceivedChat[] = [];
  const server = createServer(async (request, response) => {
    const received = await readRequest(request);
    // The host requests prices in the background; tests do not wait for that.
    if (received.path === '/v1/model/info') return sendPrices(response, deployments);
    requests.push(received);
    await listed;
    if (received.path === '/v1/models') sendModels(response, models);
    else script(response, received);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { baseUrl: getAddress(server), requests, close: () => close(server) };
}

/** Creates the bytes of one streamed piece of text. */
export function createTextChunk(text: string, finishReason: string | null = null): string {
  const choice = { index: 0, delta: { content: text }, finish_reason: finishReason };
  return `data: ${JSON.stringify({ id: 'reply', object: 'chat.completion.chunk', choices: [choice] })}\n\n`;
}

async function readRequest(request: IncomingMessage): Promise<ReceivedChat> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const { url: path = '', headers } = request;
  return { path, authorization: headers.authorization, headers, body };
}

function sendModels(response: ServerResponse, models: readonly ScriptedModel[]): void {
  const data = models.map((model) => ({
    object: 'model',
    created: 0,
    owned_by: 'script',
    ...(typeof model === 'string' ? { id: model } : model),
  }));
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data }));
}

function sendPrices(response: ServerResponse, deployments: readonly object[] | undefined): void {
  response.setHeader('content-type', 'application/json');
  if (!deployments) response.statusCode = 404;
  response.end(JSON.stringify(deployments ? { data: deployments } : { detail: 'Not Found' }));
}

function getAddress(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}
