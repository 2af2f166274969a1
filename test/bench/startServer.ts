import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface BenchServer {
  readonly baseUrl: string;
  close(): void;
}

/** Starts a server of this folder in a new process; it prints its port. */
export async function startServer(program: string, ...args: readonly string[]): Promise<BenchServer> {
  const file = fileURLToPath(new URL(program, import.meta.url));
  const server = fork(file, args, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  const [line] = await once(server.stdout ?? server, 'data');
  return { baseUrl: `http://127.0.0.1:${String(line).trim()}`, close: () => void server.kill() };
}
