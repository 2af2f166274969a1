import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface ConnectionLimits {
  /**
   * The most connections with a request under way. If there are more connections in all, idle connections are
   * closed.
   */
  readonly connections: number;
  /** The most additional connections, so that new callers get a reply. */
  readonly extraConnections: number;
}

interface ConnectionSlots {
  /**
   * Reserves a connection for a request with a valid credential. It stays open until the response is complete.
   *
   * @returns false if the limit is reached: the caller must refuse the request and close its connection
   */
  begin(socket: Socket, response: ServerResponse): boolean;
}

/** How long a connection must be idle before it is closed, in milliseconds, because bytes may be in transit. */
const idleMs = 1_000;
/** One connection to the caller and one to the upstream. */
const filesPerRequest = 2;
/** Files that the process needs for everything else. */
const ownFiles = 64;

/**
 * Computes the limits of connections from the number of files that the process may open. At most 1,024 connections
 * have a request under way.
 *
 * @param openFiles unlimited if absent
 */
export function computeConnectionLimits(openFiles = Number.POSITIVE_INFINITY): ConnectionLimits {
  const extraConnections = Math.min(3_072, Math.floor(openFiles / 3));
  const connections = Math.floor((openFiles - ownFiles - extraConnections) / filesPerRequest);
  return { connections: Math.max(8, Math.min(1_024, connections)), extraConnections };
}

/** Reads how many files this process may have open; undefined if the system does not report it or sets no limit. */
export function readOpenFileLimit(): number | undefined {
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: unknown } };
  };
  const limit = Number(userLimits?.open_files?.soft);
  return Number.isFinite(limit) ? limit : undefined;
}

/**
 * Limits the connections of a server by closing idle ones: first the connections without a valid credential,
 * oldest first, then the connections between two requests. It never closes a connection with a request under way.
 */
export function limitConnections(server: Server, limits: ConnectionLimits): ConnectionSlots {
  const { connections, extraConnections } = limits;
  /** Connections that have not sent a valid credential, oldest first, with the time of their start. */
  const unauthenticatedSockets = new Map<Socket, number>();
  /** Connections between two requests, longest idle first, with the time when the last request ended. */
  const idleSockets = new Map<Socket, number>();
  /** The number of requests under way on each connection. */
  const busySockets = new Map<Socket, number>();
  let timer: NodeJS.Timeout | undefined;

  const countConnections = () => unauthenticatedSockets.size + idleSockets.size + busySockets.size;

  function forget(socket: Socket): void {
    unauthenticatedSockets.delete(socket);
    idleSockets.delete(socket);
    busySockets.delete(socket);
  }

  function close(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  /** Closes the oldest connections without a credential, if both limits together are exceeded. */
  function closeOldest(): void {
    for (const socket of unauthenticatedSockets.keys()) {
      if (countConnections() <= connections + extraConnections) return;
      close(socket);
    }
  }

  function closeIdle(): void {
    const since = performance.now() - idleMs;
    for (const [socket, time] of [...unauthenticatedSockets, ...idleSockets]) {
      if (countConnections() <= connections) return;
      if (time <= since) close(socket);
    }
    scheduleClosing();
  }

  function scheduleClosing(): void {
    if (timer || countConnections() <= connections || unauthenticatedSockets.size + idleSockets.size === 0)
      return;
    timer = setTimeout(() => {
      timer = undefined;
      // Bytes that arrived while the process was busy are read first.
      setImmediate(closeIdle);
    }, idleMs).unref();
  }

  function endRequest(socket: Socket): void {
    const remaining = (busySockets.get(socket) ?? 0) - 1;
    if (remaining > 0) {
      busySockets.set(socket, remaining);
    } else if (busySockets.delete(socket) && !socket.destroyed) {
      idleSockets.set(socket, performance.now());
      scheduleClosing();
    }
  }

  // This listener runs first, because the server's own listener starts to read.
  server.prependListener('connection', (socket: Socket) => {
    unauthenticatedSockets.set(socket, performance.now());
    socket.once('close', () => forget(socket));
    closeOldest();
    scheduleClosing();
  });

  return {
    begin(socket, response) {
      const isFull = busySockets.size >= connections && !busySockets.has(socket);
      unauthenticatedSockets.delete(socket);
      idleSockets.delete(socket);
      if (isFull) return false;
      busySockets.set(socket, (busySockets.get(socket) ?? 0) + 1);
      response.once('close', () => endRequest(socket));
      return true;
    },
  };
}
