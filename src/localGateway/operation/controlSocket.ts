import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { errorMessage } from '../../base/errors.ts';
import { type JsonLines, jsonLines } from '../../base/node/jsonLines.ts';
import type {
  FromGateway,
  GatewayGreeting,
  GatewayStatus,
  ToGateway,
  UpstreamAccess,
} from '../../protocol/gatewayControl.ts';
import { accessOf, upstreamAccess } from '../config/consents.ts';
import type { GatewayLog } from './gatewayLog.ts';
import { checkedUpstream, type TriedUpstream } from './tryUpstream.ts';
import type { Windows } from './windows.ts';

/** What windows may ask of the gateway. */
export interface Controlled {
  readonly log: GatewayLog;
  readonly windows: Windows;
  greeting(): GatewayGreeting;
  status(): Promise<GatewayStatus>;
  /**
   * Asks an upstream for the ids of its models, once.
   *
   * @throws with what is wrong, without the key
   */
  tryUpstream(
    upstream: unknown,
    key: string | undefined,
    otherUrls?: readonly string[],
  ): Promise<TriedUpstream>;
  takeKeys(keys: Readonly<Record<string, string>>): void;
  consent(access: UpstreamAccess): void;
  /** @throws with what is wrong with the configuration, which then stays as it was */
  reload(): void;
  newCredential(): void;
  /** @param isReplaced whether another one takes its place at once */
  stop(isReplaced: boolean): void;
}

export interface ControlSocket {
  /** Path of the socket; on Windows, of the named pipe. */
  readonly path: string;
  /** Tells all windows that something changed. */
  changed(): void;
  /** Tells all windows that somebody stops the gateway. */
  stopping(): void;
  close(): Promise<void>;
}

const id = z.number();
const question = z.discriminatedUnion('type', [
  z.strictObject({ id, type: z.literal('hello'), window: z.string().max(200) }),
  z.strictObject({ id, type: z.literal('goodbye') }),
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
  z.strictObject({ id, type: z.literal('lifetime'), whileWindows: z.boolean() }),
  z.strictObject({ id, type: z.literal('reload') }),
  z.strictObject({ id, type: z.literal('newCredential') }),
  z.strictObject({ id, type: z.literal('stop'), isReplaced: z.boolean().optional() }),
]) satisfies z.ZodType<ToGateway>;

/** Opens the socket in a folder of its own that only the user can enter. */
export async function openControlSocket(controlled: Controlled): Promise<ControlSocket> {
  const path = newSocketPath();
  const connections = new Map<Socket, JsonLines>();
  const server = createServer((socket) => {
    connections.set(socket, serve(socket, controlled));
    socket.once('close', () => connections.delete(socket));
  });
  await once(server.listen(path), 'listening');
  return {
    path,
    changed: () => tell(connections.values(), { type: 'changed' }),
    stopping: () => tell(connections.values(), { type: 'stopping' }),
    async close() {
      for (const socket of connections.keys()) socket.destroySoon();
      await closed(server);
      removeSocketFolder(path);
    },
  };
}

/** Removes what a gateway that was killed left behind. */
export function removeSocketFolder(path: string): void {
  if (process.platform === 'win32' || !dirname(path).startsWith(join(tmpdir(), folderPrefix))) return;
  rmSync(dirname(path), { recursive: true, force: true });
}

const folderPrefix = 'model-gateway-';

/** Paths of sockets have about 100 characters at most, which folders for state may exceed. */
function newSocketPath(): string {
  if (process.platform === 'win32') return `\\\\.\\pipe\\model-gateway-${randomBytes(16).toString('hex')}`;
  return join(mkdtempSync(join(tmpdir(), folderPrefix)), 'control.sock');
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function tell(connections: Iterable<JsonLines>, message: FromGateway): void {
  for (const connection of connections) connection.send(message);
}

function serve(socket: Socket, controlled: Controlled): JsonLines {
  const { log, windows } = controlled;
  let unfollow = () => {};
  const lines = jsonLines(socket, (value) => {
    const asked = question.safeParse(value);
    if (asked.success) void answer(asked.data);
    else
      reply({ type: 'failed', id: idOf(value), problem: 'This local gateway does not know that message.' });
  });
  socket.once('close', () => {
    unfollow();
    windows.closed(socket);
  });
  const reply = (message: FromGateway) => lines.send(message);

  async function answer(asked: ToGateway): Promise<void> {
    try {
      await act(asked);
    } catch (error) {
      reply({ type: 'failed', id: asked.id, problem: log.withoutSecrets(errorMessage(error)) });
    }
  }

  async function act(asked: ToGateway): Promise<void> {
    const done = () => reply({ type: 'done', id: asked.id });
    switch (asked.type) {
      case 'hello':
        windows.opened(socket);
        return reply({ type: 'welcome', id: asked.id, gateway: controlled.greeting() });
      case 'goodbye':
        windows.closed(socket);
        return done();
      case 'keys':
        controlled.takeKeys(asked.keys);
        return done();
      case 'state':
        return reply({ type: 'state', id: asked.id, state: await controlled.status() });
      case 'try': {
        const tried = await controlled.tryUpstream(asked.upstream, asked.key, asked.otherUrls);
        return reply({ type: 'tried', id: asked.id, ...tried });
      }
      case 'log':
        unfollow();
        unfollow = log.follow((line, request) =>
          reply({ type: 'log', lines: [line], ...(request && { request }) }),
        );
        reply({ type: 'log', lines: log.recent });
        return done();
      case 'consent':
        controlled.consent(asked.access);
        return done();
      case 'entered':
        controlled.consent(accessOf(checkedUpstream(asked.upstream)));
        return done();
      case 'lifetime':
        windows.whileWindows = asked.whileWindows;
        return done();
      case 'reload':
        controlled.reload();
        return done();
      case 'newCredential':
        controlled.newCredential();
        return done();
      case 'stop':
        done();
        return controlled.stop(asked.isReplaced ?? false);
    }
  }
  return lines;
}

function idOf(value: unknown): number {
  const read = z.object({ id }).safeParse(value);
  return read.success ? read.data.id : 0;
}
