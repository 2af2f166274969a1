import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Most connections served at once. */
export const maxConnections = 16;

export interface ConnectionSlots {
  /** A request on this connection has shown the credential: it keeps its slot. */
  prove(socket: Socket): void;
}

/**
 * Keeps a server at 16 connections or fewer. When all slots are taken, a newcomer displaces the oldest
 * connection that has not shown the credential, so that idle strangers cannot lock the owner out; when
 * every slot has shown it, the newcomer is closed.
 */
export function limitConnections(server: Server): ConnectionSlots {
  const proven = new Map<Socket, boolean>();

  // Before the server's own listener, which would start to read.
  server.prependListener('connection', (socket: Socket) => {
    if (proven.size >= maxConnections) {
      const [stranger] = [...proven].find(([, shown]) => !shown) ?? [];
      if (!stranger) {
        socket.destroy();
        return;
      }
      stranger.destroy();
      proven.delete(stranger);
    }
    proven.set(socket, false);
    socket.once('close', () => proven.delete(socket));
  });

  return { prove: (socket) => proven.set(socket, true) };
}
