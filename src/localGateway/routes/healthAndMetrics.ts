import { HttpError } from '../http/httpError.ts';
import type { ServedRoute } from '../server/routeHandler.ts';
import { operationRoutes } from '../server/servedRoutes.ts';

interface MetricsText {
  /** The media type of the text. */
  readonly type: string;
  formatText(): string;
}

/** Serves the health check for anyone on this machine, and the metrics for the user only. */
export function createHealthAndMetricsRoutes(metrics: MetricsText): readonly ServedRoute[] {
  return [
    {
      route: operationRoutes.health,
      handle: () => ({ json: { status: 'ok', service: 'model-gateway' } }),
    },
    {
      route: operationRoutes.metrics,
      handle({ access }) {
        if (access.name !== undefined) throw metricsRefusedError();
        return { bytes: Buffer.from(metrics.formatText()), headers: { 'content-type': metrics.type } };
      },
    },
  ];
}

/** Only the user may read the metrics, because they include the requests of all credentials. */
function metricsRefusedError(): HttpError {
  return new HttpError({
    status: 403,
    message: 'The metrics require the credential of the user who runs this local gateway.',
    type: 'invalid_request_error',
    code: 'route_not_allowed',
  });
}
