import { HttpError } from '../httpError.ts';
import { type Metrics, metricsType } from '../operation/metrics.ts';
import { operationRoutes } from '../servedRoutes.ts';
import type { ServedRoute } from '../server/handler.ts';

/** Whether the gateway answers, for anyone on this machine; and what it counts, for its user alone. */
export function operationServedRoutes(metrics: Metrics): readonly ServedRoute[] {
  return [
    {
      route: operationRoutes.health,
      answer: () => ({ json: { status: 'ok', service: 'model-gateway' } }),
    },
    {
      route: operationRoutes.metrics,
      answer({ access }) {
        if (access.name !== undefined) throw notForNamed();
        return { bytes: Buffer.from(metrics.text()), headers: { 'content-type': metricsType } };
      },
    },
  ];
}

/** The metrics tell what all others ask. */
function notForNamed(): HttpError {
  return new HttpError({
    status: 403,
    message: 'The metrics are for the credential of the user who runs this local gateway.',
    type: 'invalid_request_error',
    code: 'route_not_allowed',
  });
}
