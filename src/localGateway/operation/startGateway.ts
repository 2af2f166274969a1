import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorTrace } from '../../base/errors.ts';
import { StorageError } from '../../storage/database.ts';
import type { Route } from '../../wire/routes.ts';
import type { GatewayCredentials } from '../config/gatewayCredentials.ts';
import { HttpError, shuttingDownError, toUnbilledError, UnbilledError } from '../http/httpError.ts';
import type { Catalogue } from '../models/catalogue.ts';
import { createTokenCountRoutes } from '../routes/countTokens.ts';
import { createHealthAndMetricsRoutes } from '../routes/healthAndMetrics.ts';
import { createInteractionExtras, createInteractionTaskRoutes } from '../routes/interactions.ts';
import type { TaskRouteServices } from '../routes/makeVideo.ts';
import { createModelRoutes } from '../routes/models.ts';
import { createResponseExtras, createStoredResponseRoutes } from '../routes/responses.ts';
import { createTaskContentRoute } from '../routes/taskContent.ts';
import { createTaskRoutes } from '../routes/tasks.ts';
import { createTextRoutes } from '../routes/textRoute.ts';
import { createVideoFormatRoutes } from '../routes/videoFormats.ts';
import { createVideoJobRoutes } from '../routes/videos.ts';
import { computeConnectionLimits, readOpenFileLimit } from '../server/connectionSlots.ts';
import type { GatewaySpending } from '../server/gatewaySpending.ts';
import { createGuardedServer, type ExchangeObserver } from '../server/guardedServer.ts';
import type { ServedRoute } from '../server/routeHandler.ts';
import { RouteTable } from '../server/routeTable.ts';
import { mainRoutes, openRoutes, servedRoutes } from '../server/servedRoutes.ts';
import { tasksUnavailableError } from '../tasks/taskFailures.ts';
import type { TaskFile } from '../tasks/taskFile.ts';
import { UpstreamTaskActions } from '../tasks/upstreamTaskActions.ts';
import { watchTasks } from '../tasks/watchTasks.ts';
import type { Metrics } from './metrics.ts';

/** How long replies under way may take to end when the gateway ends, in milliseconds. */
const maxCloseMs = 1_500;

interface GatewayOptions {
  readonly catalogue: Catalogue;
  readonly tasks: TaskFile;
  readonly credentials: Pick<GatewayCredentials, 'find'>;
  readonly metrics: Metrics;
  readonly observer: ExchangeObserver;
  readonly spending: GatewaySpending;
  /** 0 means any free port. */
  readonly port: number;
  readonly log: (line: string) => void;
}

export interface ServedGateway {
  /** An address such as `http://127.0.0.1:41234`. */
  readonly baseUrl: string;
  /** Refuses new connections, ends the replies under way and closes everything, within two seconds. */
  close(): Promise<void>;
}

/**
 * Starts the gateway on 127.0.0.1.
 *
 * @throws the system's error if the port cannot be opened
 */
export async function startGateway(options: GatewayOptions): Promise<ServedGateway> {
  const { catalogue, tasks, credentials, metrics, observer, spending, port, log } = options;
  const closing = new AbortController();
  const upstreamTasks = new UpstreamTaskActions(catalogue, tasks, log, process.env, (...ended) =>
    spending.settleTask(...ended),
  );
  const connections = computeConnectionLimits(readOpenFileLimit());
  const server = createGuardedServer({
    rules: { routes: new RouteTable(servedRoutes), openRoutes, credentials },
    findServedRoute: createRouteLookup([
      ...createRoutes({ catalogue, tasks, upstreamTasks }),
      ...createHealthAndMetricsRoutes(metrics),
    ]),
    connections,
    closing: closing.signal,
    explain: (error) => toHttpError(error, log),
    observer,
    spending,
  });
  const backlog = connections.connections + connections.extraConnections;
  await once(server.listen({ host: '127.0.0.1', port, backlog }), 'listening');

  const taskWatch = watchTasks(upstreamTasks, tasks, log);
  let closePromise: Promise<void> | undefined;
  async function close(): Promise<void> {
    closing.abort(shuttingDownError());
    taskWatch.dispose();
    await closeServer(server);
    await upstreamTasks.close();
    await catalogue.close();
    tasks.close();
    spending.close();
  }
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      closePromise ??= close();
      return closePromise;
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  const closeTimer = setTimeout(() => server.closeAllConnections(), maxCloseMs);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(closeTimer);
}

function createRoutes(services: TaskRouteServices): readonly ServedRoute[] {
  const { catalogue } = services;
  return [
    ...createModelRoutes(catalogue),
    ...createTokenCountRoutes(catalogue),
    ...createTextRoutes(catalogue, {
      interactions: createInteractionExtras(services),
      responses: createResponseExtras(services),
    }),
    ...createVideoFormatRoutes(services),
    ...createVideoJobRoutes(services),
    ...createStoredResponseRoutes(services),
    ...createTaskRoutes(services),
    createTaskContentRoute(services),
    ...createInteractionTaskRoutes(services),
  ];
}

/**
 * Creates a lookup from a route to its handler.
 *
 * @throws {TypeError} if a route of the guard has no handler
 */
function createRouteLookup(served: readonly ServedRoute[]): (route: Route) => ServedRoute {
  const byName = new Map(served.map((each) => [each.route.name, each]));
  const findServedRoute = ({ name }: Route) => {
    const found = byName.get(name);
    if (!found) throw new TypeError(`the route ${name} has no handler: add it in src/localGateway/routes`);
    return found;
  };
  mainRoutes.forEach(findServedRoute);
  return findServedRoute;
}

/** Converts any thrown value to an error reply. Storage errors concern tasks. Any other error is a bug. */
function toHttpError(error: unknown, log: (line: string) => void): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof UnbilledError) return toUnbilledError(toHttpError(error.cause, log));
  if (error instanceof StorageError) return tasksUnavailableError(error, log);
  log(`unexpected: ${errorTrace(error)}`);
  const message = 'The local gateway failed unexpectedly. See its log, and report the problem.';
  return new HttpError({ status: 500, message, type: 'server_error', code: 'internal_error' });
}
