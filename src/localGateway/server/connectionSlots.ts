import type { Server } from 'node:http';
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
   * Reserves a connection for a request with a valid credential. It stays open until the request ends.
   *
   * @returns false if the limit is reached: the caller must refuse the request and close its connection
   */
  begin(socket: Socket): boolean;
  /** Ends a request for which `begin` returned true. */
  end(socket: Socket): void;
}

/** An open connection. */
interface Connection {
  readonly socket: Socket;
  /** Whether a request had a valid credential. */
  isAuthenticated: boolean;
  /** The number of requests under way. */
  requests: number;
  /** When it was opened, or when its last request ended. */
  idleSince: number;
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
  /** Oldest first. */
  const openConnections = new Map<Socket, Connection>();
  /** The number of connections with a request under way. */
  let busyCount = 0;
  let timer: NodeJS.Timeout | undefined;

  function forget(socket: Socket): void {
    const connection = openConnections.get(socket);
    if (!connection) return;
    if (connection.requests > 0) busyCount -= 1;
    openConnections.delete(socket);
  }

  function close(socket: Socket): void {
    forget(socket);
    socket.destroy();
  }

  /** Closes the oldest connections without a credential, if both limits together are exceeded. */
  function closeOldest(): void {
    for (const { socket, isAuthenticated } of openConnections.values()) {
      if (openConnections.size <= connections + extraConnections) return;
      if (!isAuthenticated) close(socket);
    }
  }

  function closeIdle(): void {
    const since = performance.now() - idleMs;
    const idleConnections = [...openConnections.values()]
      .filter(({ requests, idleSince }) => requests === 0 && idleSince <= since)
      .sort((a, b) => Number(a.isAuthenticated) - Number(b.isAuthenticated) || a.idleSince - b.idleSince);
    for (const { socket } of idleConnections) {
      if (openConnections.size <= connections) break;
      close(socket);
    }
    scheduleClosing();
  }

  function scheduleClosing(): void {
    if (timer || openConnections.size <= connections || openConnections.size === busyCount) return;
    timer = setTimeout(() => {
      timer = undefined;
      // Bytes that arrived while the process was busy are read first.
      setImmediate(closeIdle);
    }, idleMs).unref();
  }

  // This listener runs first, because the server's own listener starts to read.
  server.prependListener('connection', (socket: Socket) => {
    openConnections.set(socket, {
      socket,
      isAuthenticated: false,
      requests: 0,
      idleSince: performance.now(),
    });
    socket.once('close', () => forget(socket));
    closeOldest();
    scheduleClosing();
  });

  return {
    begin(socket) {
      const connection = openConnections.get(socket);
      // The connection has closed, so the request does not occupy it.
      if (!connection) return true;
      connection.isAuthenticated = true;
      if (connection.requests === 0) {
        if (busyCount >= connections) return false;
        busyCount += 1;
      }
      connection.requests += 1;
      return true;
    },

    end(socket) {
      const connection = openConnections.get(socket);
      if (!connection) return;
      connection.requests -= 1;
      if (connection.requests > 0) return;
      busyCount -= 1;
      connection.idleSince = performance.now();
      scheduleClosing();
    },
  };
}
