import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How many connections a server takes. */
export interface ConnectionLimits {
  /** Most that a request is served on at once, and most that are kept in all where there are idle ones to close. */
  readonly connections: number;
  /** Newcomers beyond these that are heard out all the same, so that they are answered and not cut off. */
  readonly newcomers: number;
}

export interface ConnectionSlots {
  /**
   * A request that has shown the credential begins on a connection, which keeps it until the response is over.
   * False where as many are served as may be: it is to be refused, as the last of its connection.
   */
  begin(socket: Socket, response: ServerResponse): boolean;
}

/** How long nothing happens on a connection that is idle, in milliseconds: a caller's next bytes may be on their way. */
const idleMs = 1_000;
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
  const newcomers = Math.min(3_072, Math.floor(openFiles / 3));
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
  const { connections, newcomers } = limits;
  /** Have not shown the credential; oldest first, with the time they came. */
  const strangers = new Map<Socket, number>();
  /** Between two requests; longest idle first, with the time the last one ended. */
  const idle = new Map<Socket, number>();
  /** Requests under way on each. */
  const busy = new Map<Socket, number>();
  let timer: NodeJS.Timeout | undefined;

  const size = () => strangers.size + idle.size + busy.size;

  function forget(socket: Socket): void {
    strangers.delete(socket);
    idle.delete(socket);
    busy.delete(socket);
  }

  function close(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  /** More than could be heard out: the newest are, whoever they may be. */
  function closeOldest(): void {
    for (const socket of strangers.keys()) {
      if (size() <= connections + newcomers) return;
      close(socket);
    }
  }

  function closeIdle(): void {
    const since = performance.now() - idleMs;
    for (const [socket, at] of [...strangers, ...idle]) {
      if (size() <= connections) return;
      if (at <= since) close(socket);
    }
    keepWithin();
  }

  function keepWithin(): void {
    if (timer || size() <= connections || strangers.size + idle.size === 0) return;
    timer = setTimeout(() => {
      timer = undefined;
      // What has arrived while the process was busy is read before.
      setImmediate(closeIdle);
    }, idleMs).unref();
  }

  function end(socket: Socket): void {
    const left = (busy.get(socket) ?? 0) - 1;
    if (left > 0) {
      busy.set(socket, left);
    } else if (busy.delete(socket) && !socket.destroyed) {
      idle.set(socket, performance.now());
      keepWithin();
    }
  }

  // Before the server's own listener, which would start to read.
  server.prependListener('connection', (socket: Socket) => {
    strangers.set(socket, performance.now());
    socket.once('close', () => forget(socket));
    closeOldest();
    keepWithin();
  });

  return {
    begin(socket, response) {
      const isFull = busy.size >= connections && !busy.has(socket);
      strangers.delete(socket);
      idle.delete(socket);
      if (isFull) return false;
      busy.set(socket, (busy.get(socket) ?? 0) + 1);
      response.once('close', () => end(socket));
      return true;
    },
  };
}
