import { request } from 'node:http';
import { isObject, nonEmptyString, parseJson } from '../../../base/json.ts';
import { isLoopback } from '../../../base/loopback.ts';

/** A model server that listens on this machine. */
export interface ModelServer {
  /** The name of the product, as its makers write it. */
  readonly title: string;
  /** The suggested name of its upstream. */
  readonly name: string;
  readonly baseUrl: string;
  /** The number of its models. */
  readonly models: number;
}

interface KnownServer {
  readonly title: string;
  readonly name: string;
  readonly defaultPort: number;
  /** The owner of each model in its model list. */
  readonly owner?: string;
}

const knownServers: readonly KnownServer[] = [
  { title: 'Ollama', name: 'ollama', defaultPort: 11_434, owner: 'library' },
  { title: 'llama.cpp', name: 'llama-cpp', defaultPort: 8080, owner: 'llamacpp' },
  { title: 'LM Studio', name: 'lm-studio', defaultPort: 1234, owner: 'organization_owner' },
  { title: 'vLLM', name: 'vllm', defaultPort: 8000, owner: 'vllm' },
];

/** The names of the products to search for, with their ports. */
export const checkedServers: readonly string[] = knownServers.map(
  ({ title, defaultPort }) => `${title} (${defaultPort})`,
);

/** The reply of a program to the request for its models. */
interface ModelsResponse {
  readonly status: number;
  readonly text: string;
}

/** Sends `GET /v1/models` to a port of this machine; resolves to undefined if there is no reply. */
type RequestModels = (port: number, signal: AbortSignal) => Promise<ModelsResponse | undefined>;

/**
 * Searches for model servers on their usual ports. Sends one request to each port, on this machine only. The requests
 * reveal no data and are free of charge.
 */
export async function detectModelServers(
  signal: AbortSignal,
  requestModels: RequestModels = requestModelsAt,
): Promise<readonly ModelServer[]> {
  const responses = await Promise.all(
    knownServers.map(({ defaultPort }) => requestModels(defaultPort, signal)),
  );
  return responses.flatMap((response, i) => {
    const usualServer = knownServers[i];
    const server = response && usualServer && identifyServer(response, usualServer);
    return server ? [server] : [];
  });
}

/** Whether the server has one of the addresses. All names of this machine are equal. */
export function isAmong({ baseUrl }: ModelServer, addresses: readonly string[]): boolean {
  return addresses.some((address) => {
    if (!URL.canParse(address)) return false;
    const { hostname, port, protocol } = new URL(address);
    return protocol === 'http:' && isLoopback(hostname) && port === new URL(baseUrl).port;
  });
}

/**
 * Identifies the server by the owner in its model list, or else by its port.
 *
 * @returns undefined for a program without a model list
 */
function identifyServer({ status, text }: ModelsResponse, usualServer: KnownServer): ModelServer | undefined {
  const list = status === 200 ? parseJson(text) : undefined;
  if (!isObject(list)) return undefined;
  // Ollama without models returns null.
  const models = list.data === null && list.object === 'list' ? [] : list.data;
  if (!Array.isArray(models)) return undefined;
  const entries = models.filter(isObject);
  if (entries.length < models.length || entries.some(({ id }) => nonEmptyString(id) === undefined))
    return undefined;
  const owner = entries[0]?.owned_by;
  const { title, name } = knownServers.find((known) => known.owner === owner) ?? usualServer;
  return { title, name, baseUrl: `http://127.0.0.1:${usualServer.defaultPort}/v1`, models: models.length };
}

const timeoutMs = 2_000;
/** In bytes. Longer than any list of the models on one machine. */
const maxBytes = 1024 * 1024;

function requestModelsAt(port: number, signal: AbortSignal): Promise<ModelsResponse | undefined> {
  return new Promise((resolve) => {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const clientRequest = request(
      {
        host: '127.0.0.1',
        port,
        path: '/v1/models',
        agent: false,
        signal: limits,
        headers: { accept: 'application/json' },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes > maxBytes) response.destroy();
        });
        response.once('error', () => resolve(undefined));
        response.once('close', () => {
          if (!response.complete) return resolve(undefined);
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
        });
      },
    );
    clientRequest.once('error', () => resolve(undefined));
    clientRequest.end();
  });
}
