import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface StreamServer {
  readonly baseUrl: string;
  close(): void;
}

/** Starts streamServer.ts in a process of its own. */
export async function startStreamServer(): Promise<StreamServer> {
  const file = fileURLToPath(new URL('streamServer.ts', import.meta.url));
  const server = fork(file, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = await once(server.stdout ?? server, 'data');
  return { baseUrl: `http://127.0.0.1:${String(line).trim()}`, close: () => void server.kill() };
}
