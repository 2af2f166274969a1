import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { errorMessage } from '../../base/errors.ts';
import { createJsonLines, type JsonLines } from '../../base/node/jsonLines.ts';
import type {
  FromGateway,
  GatewayGreeting,
  GatewayStatus,
  ToGateway,
  UpstreamAccess,
} from '../../protocol/gatewayControl.ts';
import { readUpstreamAccess, upstreamAccess } from '../config/consents.ts';
import type { GatewayLog } from './gatewayLog.ts';
import { parseUpstream, type TriedUpstream } from './tryUpstream.ts';
import type { Windows } from './windows.ts';

/** The functions of the gateway that windows can call. */
export interface ControlledGateway {
  readonly log: GatewayLog;
  readonly windows: Windows;
  createGreeting(): GatewayGreeting;
  readStatus(): Promise<GatewayStatus>;
  /**
   * See `tryUpstream`.
   *
   * @throws an error whose message does not contain the key
   */
  tryUpstream(
    upstream: unknown,
    key: string | undefined,
    otherUrls?: readonly string[],
  ): Promise<TriedUpstream>;
  receiveKeys(keys: Readonly<Record<string, string>>): void;
  addConsent(access: UpstreamAccess): void;
  /** @throws if the configuration is invalid; the previous configuration then remains active */
  reload(): void;
  replaceCredential(): void;
  /** @param isReplaced whether another gateway replaces it at once */
  stop(isReplaced: boolean): void;
}

export interface ControlSocket {
  /** Path of the socket; on Windows, of the named pipe. */
  readonly path: string;
  /** Notifies all windows of a change. */
  notifyChanged(): void;
  /** Notifies all windows that the gateway is being stopped. */
  notifyStopping(): void;
  close(): Promise<void>;
}

const id = z.number();
const requestSchema = z.discriminatedUnion('type', [
  z.strictObject({ id, type: z.literal('hello') }),
  z.strictObject({ id, type: z.literal('keys'), keys: z.record(z.string(), z.string()) }),
  z.strictObject({ id, type: z.literal('state') }),
  z.strictObject({
    id,
    type: z.literal('try'),
    upstream: z.unknown(),
    key: z.string().optional(),
    otherUrls: z.array(z.string()).max(8).optional(),
  }),
  z.strictObject({ id, type: z.literal('log') }),
  z.strictObject({ id, type: z.literal('consent'), access: upstreamAccess }),
  z.strictObject({ id, type: z.literal('entered'), upstream: z.unknown() }),
  z.strictObject({ id, type: z.literal('lifetime'), exitsAfterWindows: z.boolean() }),
  z.strictObject({ id, type: z.literal('reload') }),
  z.strictObject({ id, type: z.literal('newCredential') }),
  z.strictObject({ id, type: z.literal('stop'), isReplaced: z.boolean().optional() }),
]) satisfies z.ZodType<ToGateway>;

/** Opens the socket in a separate folder, which only the user can enter. */
export async function openControlSocket(controlled: ControlledGateway): Promise<ControlSocket> {
  const path = createSocketPath();
  const connections = new Map<Socket, JsonLines>();
  const server = createServer((socket) => {
    connections.set(socket, serveWindow(socket, controlled));
    socket.once('close', () => connections.delete(socket));
  });
  await once(server.listen(path), 'listening');
  return {
    path,
    notifyChanged: () => notifyAll(connections.values(), { type: 'changed' }),
    notifyStopping: () => notifyAll(connections.values(), { type: 'stopping' }),
    async close() {
      for (const socket of connections.keys()) socket.destroySoon();
      await new Promise((resolve) => server.close(resolve));
      removeSocketFolder(path);
    },
  };
}

/** Removes the socket of a gateway that was killed. */
export function removeSocketFolder(path: string): void {
  if (process.platform === 'win32' || !dirname(path).startsWith(join(tmpdir(), folderPrefix))) return;
  rmSync(dirname(path), { recursive: true, force: true });
}

const folderPrefix = 'model-gateway-';

/** Creates a path in the system's temporary folder, because paths of sockets are limited to about 100 characters. */
function createSocketPath(): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\model-gateway-${randomBytes(16).toString('hex')}`;
  return join(mkdtempSync(join(tmpdir(), folderPrefix)), 'control.sock');
}

function notifyAll(connections: Iterable<JsonLines>, message: FromGateway): void {
  for (const connection of connections) connection.send(message);
}

function serveWindow(socket: Socket, controlled: ControlledGateway): JsonLines {
  const { log, windows } = controlled;
  let stopFollowing = () => {};
  const lines = createJsonLines(socket, (value) => {
    const parsed = requestSchema.safeParse(value);
    if (parsed.success) void handle(parsed.data);
    else
      reply({
        type: 'failed',
        id: readId(value),
        problem: 'This local gateway does not support this message.',
      });
  });
  socket.once('close', () => {
    stopFollowing();
    windows.remove(socket);
  });
  const reply = (message: FromGateway) => lines.send(message);

  async function handle(message: ToGateway): Promise<void> {
    try {
      await perform(message);
    } catch (error) {
      reply({ type: 'failed', id: message.id, problem: log.hideSecrets(errorMessage(error)) });
    }
  }

  async function perform(message: ToGateway): Promise<void> {
    const replyDone = () => reply({ type: 'done', id: message.id });
    switch (message.type) {
      case 'hello':
        windows.add(socket);
        return reply({ type: 'welcome', id: message.id, gateway: controlled.createGreeting() });
      case 'keys':
        controlled.receiveKeys(message.keys);
        return replyDone();
      case 'state':
        return reply({ type: 'state', id: message.id, state: await controlled.readStatus() });
      case 'try': {
        const result = await controlled.tryUpstream(message.upstream, message.key, message.otherUrls);
        return reply({ type: 'tried', id: message.id, ...result });
      }
      case 'log':
        stopFollowing();
        stopFollowing = log.follow((line, request) =>
          reply({ type: 'log', lines: [line], ...(request && { request }) }),
        );
        reply({ type: 'log', lines: log.recent });
        return replyDone();
      case 'consent':
        controlled.addConsent(message.access);
        return replyDone();
      case 'entered':
        controlled.addConsent(readUpstreamAccess(parseUpstream(message.upstream)));
        return replyDone();
      case 'lifetime':
        windows.exitsAfterWindows = message.exitsAfterWindows;
        return replyDone();
      case 'reload':
        controlled.reload();
        return replyDone();
      case 'newCredential':
        controlled.replaceCredential();
        return replyDone();
      case 'stop':
        replyDone();
        return controlled.stop(message.isReplaced ?? false);
    }
  }
  return lines;
}

function readId(value: unknown): number {
  const parsed = z.object({ id }).safeParse(value);
  return parsed.success ? parsed.data.id : 0;
}
