import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTinyClip } from './downloadServers.ts';

/** A gateway that makes videos, on a port of this machine. It counts the requests that cost money. */
export class VideoServer {
  readonly clip = createTinyClip(20_000);
  /** The ids of the created tasks, in order. */
  readonly createdIds: string[] = [];
  #tasks = 0;
  readonly #server = createServer((request, response) => this.#serve(request, response));

  async start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, '127.0.0.1', resolve);
    await promise;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    request.resume();
    // A request whose body is cut is not served.
    request.on('end', () => {
      if (request.method === 'POST') this.#createTask(response);
      else if (/^\/files\/|\/content$/.test(request.url ?? '')) this.#sendClip(response);
      else
        this.#sendTask(
          response,
          request.url?.split(/[/?]/).findLast((part) => part.startsWith('task-')),
        );
    });
  }

  #createTask(response: ServerResponse): void {
    this.#tasks += 1;
    const id = `task-${this.#tasks}`;
    this.createdIds.push(id);
    sendJson(response, { ...record, id, status: 'queued' });
  }

  #sendTask(response: ServerResponse, id: string | undefined): void {
    const videos = [{ url: `${this.baseUrl}/files/${id}.mp4` }];
    sendJson(response, id === undefined ? { data: [] } : { ...record, id, status: 'completed', videos });
  }

  #sendClip(response: ServerResponse): void {
    response.writeHead(200, {
      'content-type': 'video/mp4',
      'content-length': this.clip.length,
      etag: '"v1"',
    });
    response.end(this.clip);
  }
}

/** Also the record of a video job of the OpenAI API. */
const record = {
  object: 'video',
  model: 'video-1',
  prompt: 'a lake',
  progress: 0,
  created_at: 1_767_225_600,
  size: '720x1280',
  seconds: '4',
  error: null,
};

function sendJson(response: ServerResponse, value: object): void {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(value));
}
