import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many connections a server takes. */
export interface ConnectionLimits {
  /** Most that a request is served on at once, and most that are kept in all while there are idle ones to close. */
  readonly connections: number;
  /** Newcomers that are heard out all the same, so that they are answered and not cut off. */
  readonly newcomers: number;
}

export interface ConnectionSlots {
  /**
   * A request that has shown the credential begins on a connection, which keeps it until the response is over.
   * False where as many are served as may be: it is to be refused, as the last of its connection.
   */
  begin(socket: Socket, response: ServerResponse): boolean;
}

/** What one request needs: a connection to its caller and one to its upstream. */
const filesPerRequest = 2;
/** What the process needs besides. */
const ownFiles = 64;

/**
 * As many as the system gives files for, up to 1,024.
 *
 * @param openFiles how many files the process may have open; undefined where the system sets no limit
 */
export function connectionLimits(openFiles = Number.POSITIVE_INFINITY): ConnectionLimits {
  const newcomers = Math.min(128, Math.floor(openFiles / 8));
  const connections = Math.floor((openFiles - ownFiles - newcomers) / filesPerRequest);
  return { connections: Math.max(8, Math.min(1_024, connections)), newcomers };
}

/** How many files this process may have open; undefined where the system does not tell or sets no limit. */
export function openFileLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: unknown } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : undefined;
}

/**
 * Keeps a server within its limits by closing connections that nothing happens on: those that have not shown
 * the credential first, oldest first, then those between two requests. A request that is being answered is
 * never cut off.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): ConnectionSlots {
  /** Have not shown the credential, oldest first. */
  const strangers = new Set<Socket>();
  /** Between two requests, longest idle first. */
  const idle = new Set<Socket>();
  /** Requests under way on each. */
  const busy = new Map<Socket, number>();
  let isTrimming = false;

  const excess = () => strangers.size + idle.size + busy.size - limits.connections;

  function forget(socket: Socket): void {
    strangers.delete(socket);
    idle.delete(socket);
    busy.delete(socket);
  }

  function trim(): void {
    isTrimming = false;
    const older = [...strangers].slice(0, Math.max(0, strangers.size - limits.newcomers));
    for (const socket of [...older, ...idle].slice(0, Math.max(0, excess()))) {
      forget(socket);
      socket.destroy();
    }
  }

  function trimSoon(): void {
    if (isTrimming) return;
    isTrimming = true;
    // What has arrived on the connections of this turn is read in the next: it may hold the credential.
    setImmediate(() => setImmediate(trim));
  }

  function end(socket: Socket): void {
    const left = (busy.get(socket) ?? 0) - 1;
    if (left > 0) {
      busy.set(socket, left);
    } else if (busy.delete(socket) && !socket.destroyed) {
      idle.add(socket);
      if (excess() > 0) trimSoon();
    }
  }

  // Before the server's own listener, which would start to read.
  server.prependListener('connection', (socket: Socket) => {
    strangers.add(socket);
    socket.once('close', () => forget(socket));
    if (excess() > 0) trimSoon();
  });

  return {
    begin(socket, response) {
      const isFull = busy.size >= limits.connections && !busy.has(socket);
      strangers.delete(socket);
      idle.delete(socket);
      if (isFull) return false;
      busy.set(socket, (busy.get(socket) ?? 0) + 1);
      response.once('close', () => end(socket));
      return true;
    },
  };
}
