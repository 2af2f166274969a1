import { HttpError } from '../http/httpError.ts';
import type { ServedRoute } from '../server/handler.ts';
import { operationRoutes } from '../server/servedRoutes.ts';

/** The metrics of the gateway, as text of this media type. */
interface MetricsText {
  readonly type: string;
  text(): string;
}

/** Whether the gateway answers, for anyone on this machine; and what it counts, for its user alone. */
export function operationServedRoutes(metrics: MetricsText): readonly ServedRoute[] {
  return [
    {
      route: operationRoutes.health,
      answer: () => ({ json: { status: 'ok', service: 'model-gateway' } }),
    },
    {
      route: operationRoutes.metrics,
      answer({ access }) {
        if (access.name !== undefined) throw notForNamed();
        return { bytes: Buffer.from(metrics.text()), headers: { 'content-type': metrics.type } };
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
