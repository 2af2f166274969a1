import { request } from 'node:http';
import { isObject, nonEmptyString, parseJson } from '../../../base/json.ts';
import { isLoopback } from '../../../base/loopback.ts';

/** A model server that listens on this machine. */
export interface ModelServer {
  /** What it is, as its makers call it. */
  readonly title: string;
  /** A name for it as an upstream. */
  readonly name: string;
  readonly baseUrl: string;
  readonly models: number;
}

interface KnownServer {
  readonly title: string;
  readonly name: string;
  /** The port that it listens on unless told otherwise. */
  readonly port: number;
  /** What its model list names as owner of each model. */
  readonly owner?: string;
}

const knownServers: readonly KnownServer[] = [
  { title: 'Ollama', name: 'ollama', port: 11_434, owner: 'library' },
  { title: 'llama.cpp', name: 'llama-cpp', port: 8080, owner: 'llamacpp' },
  { title: 'LM Studio', name: 'lm-studio', port: 1234, owner: 'organization_owner' },
  { title: 'vLLM', name: 'vllm', port: 8000, owner: 'vllm' },
];

/** What is looked for, and at which port. */
export const knownPlaces: readonly string[] = knownServers.map(({ title, port }) => `${title} (${port})`);

/** What a program on a port answered to the question for its models. */
export interface ModelsAnswer {
  readonly status: number;
  readonly text: string;
}

/** Asks a port of this machine for `GET /v1/models`; resolves to undefined where nobody answers. */
export type AskPort = (port: number, signal: AbortSignal) => Promise<ModelsAnswer | undefined>;

/**
 * Looks for model servers on the ports that they are known for. One request each, to this machine only, which
 * tells nothing and costs nothing.
 */
export async function detectModelServers(
  signal: AbortSignal,
  ask: AskPort = askPort,
): Promise<readonly ModelServer[]> {
  const answers = await Promise.all(knownServers.map(({ port }) => ask(port, signal)));
  return answers.flatMap((answer, i) => {
    const usual = knownServers[i];
    const server = answer && usual && serverOf(answer, usual);
    return server ? [server] : [];
  });
}

/** Whether one of these addresses is that of a server, under whichever name of this machine. */
export function isAmong({ baseUrl }: ModelServer, addresses: readonly string[]): boolean {
  return addresses.some((address) => {
    if (!URL.canParse(address)) return false;
    const { hostname, port, protocol } = new URL(address);
    return protocol === 'http:' && isLoopback(hostname) && port === new URL(baseUrl).port;
  });
}

/** What answers is named by the owner in its list; else by the port. What has no model list is another program. */
function serverOf({ status, text }: ModelsAnswer, usual: KnownServer): ModelServer | undefined {
  const list = status === 200 ? parseJson(text) : undefined;
  if (!isObject(list)) return undefined;
  // Ollama without a model tells null.
  const models = list.data === null && list.object === 'list' ? [] : list.data;
  if (!Array.isArray(models)) return undefined;
  const entries = models.filter(isObject);
  if (entries.length < models.length || entries.some(({ id }) => nonEmptyString(id) === undefined))
    return undefined;
  const owner = entries[0]?.owned_by;
  const { title, name } = knownServers.find((known) => known.owner === owner) ?? usual;
  return { title, name, baseUrl: `http://127.0.0.1:${usual.port}/v1`, models: models.length };
}

const timeoutMs = 2_000;
/** More than any list of the models on one machine. */
const maxBytes = 1024 * 1024;

function askPort(port: number, signal: AbortSignal): Promise<ModelsAnswer | undefined> {
  return new Promise((resolve) => {
    const limits = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const asked = request(
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
    asked.once('error', () => resolve(undefined));
    asked.end();
  });
}
