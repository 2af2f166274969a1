import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { errorTrace } from '../base/errors.ts';
import { StorageError } from '../storage/database.ts';
import { defaultFormat } from '../wire/apis/textFormats.ts';
import type { Catalogue } from './catalogue.ts';
import { errorBody } from './errorFormat.ts';
import { HttpError, shuttingDown } from './httpError.ts';
import { errorForGroup, NothingMadeError, nothingMade } from './nothingMade.ts';
import { serveTokenCounts } from './routes/countTokens.ts';
import { interactionExtras } from './routes/interactions.ts';
import { serveInteractionTasks } from './routes/interactionTasks.ts';
import { serveModels } from './routes/models.ts';
import { serveSynthesisTasks } from './routes/synthesisTasks.ts';
import { serveTaskContent } from './routes/taskContent.ts';
import { serveTasks } from './routes/tasks.ts';
import { serveTextFormats } from './routes/textRoute.ts';
import { serveVideoSynthesis } from './routes/videoSynthesis.ts';
import { servedRoutes } from './servedRoutes.ts';
import { connectionLimits, openFileLimit } from './server/connectionSlots.ts';
import { digest, isJsonType, maxBodyBytes } from './server/guard.ts';
import { createGuardedServer, endBrokenConnection, maxHeaderBytes } from './server/guardedServer.ts';
import { bodyNotJson, bodyTooLarge, endWithError } from './server/refusal.ts';
import { requestIdOf } from './server/requestId.ts';
import type { TaskFile } from './taskFile.ts';
import { tasksUnavailable } from './tasksUnavailable.ts';

/** How long open replies may take to end when the gateway ends, in milliseconds. */
const maxCloseMs = 1_500;

export interface GatewayOptions {
  readonly catalogue: Catalogue;
  readonly tasks: TaskFile;
  readonly credential: string;
  /** 0 means any free port. */
  readonly port: number;
  readonly log: (line: string) => void;
}

export interface Gateway {
  /** An address such as `http://127.0.0.1:41234`. */
  readonly baseUrl: string;
  /** Refuses new connections, ends open replies and closes everything, within two seconds. */
  close(): Promise<void>;
}

/**
 * Starts the gateway on 127.0.0.1.
 *
 * @throws the system's error when the port cannot be opened
 */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { catalogue, tasks, credential, port, log } = options;
  const closing = new AbortController();
  const connections = connectionLimits(openFileLimit());
  const rules = { routes: servedRoutes, credentialDigest: digest(credential) };
  const app = fastify({
    serverFactory: (handler) =>
      createGuardedServer(handler, { rules, connections, closing: closing.signal, log }),
    clientErrorHandler: endBrokenConnection,
    genReqId: requestIdOf,
    bodyLimit: maxBodyBytes,
    exposeHeadRoutes: false,
    // The longest target, with every byte encoded.
    routerOptions: { maxParamLength: 3 * maxHeaderBytes },
  });
  prepare(app, log);
  serveModels(app, catalogue);
  serveTokenCounts(app, catalogue);
  const service = { catalogue, tasks, closing: closing.signal };
  serveTextFormats(app, service, { interactions: interactionExtras(service) });
  serveVideoSynthesis(app, service);
  serveTasks(app, tasks);
  serveTaskContent(app, catalogue, tasks);
  serveInteractionTasks(app, service);
  serveSynthesisTasks(app, tasks);
  const baseUrl = await app.listen({
    host: '127.0.0.1',
    port,
    backlog: connections.connections + connections.newcomers,
  });

  let closed: Promise<void> | undefined;
  async function close(): Promise<void> {
    closing.abort(shuttingDown());
    const closeTimer = setTimeout(() => app.server.closeAllConnections(), maxCloseMs);
    await app.close();
    clearTimeout(closeTimer);
    await catalogue.close();
    tasks.close();
  }
  return {
    baseUrl,
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}

function prepare(app: FastifyInstance, log: (line: string) => void): void {
  // Routes read the bytes themselves, because they pass exactly these on.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length > 0 && !isJsonType(request.raw.rawHeaders)) throw bodyNotJson();
    return body;
  });

  app.addHook('onRequest', async (request, reply) => {
    reply.raw.setHeader('X-Request-Id', request.id);
    reply.raw.setHeader('Cache-Control', 'no-store');
    reply.raw.setHeader('X-Content-Type-Options', 'nosniff');
  });

  app.setErrorHandler(async (error: unknown, request, reply) => {
    const { group = defaultFormat } = request.routeOptions.config;
    const answer = errorForGroup(httpError(error, log), group);
    if (request.raw.complete) {
      const body = errorBody(answer, group, request.id);
      return reply.code(answer.status).headers(answer.headers).send(body);
    }
    reply.hijack();
    endWithError(request.raw, reply.raw, answer, group);
  });
}

/**
 * Fastify's own errors concern the bytes of the request, and storage errors concern tasks. Anything else is a
 * bug.
 */
function httpError(error: unknown, log: (line: string) => void): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof NothingMadeError) return nothingMade(httpError(error.cause, log));
  if (error instanceof StorageError) return tasksUnavailable(error, log);
  const status = error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
  if (status === 413) return bodyTooLarge();
  if (status >= 400 && status < 500) {
    const message = 'The request could not be read. Check its headers and the length of its body.';
    return new HttpError({ status, message, type: 'invalid_request_error', code: 'invalid_request' });
  }
  log(`unexpected: ${errorTrace(error)}`);
  const message = 'The local gateway failed unexpectedly. Its log says more; please report it.';
  return new HttpError({ status: 500, message, type: 'server_error', code: 'internal_error' });
}
