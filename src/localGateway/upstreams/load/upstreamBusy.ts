import { HttpError } from '../../httpError.ts';

/** A request would have to wait for an upstream. Nothing was sent. */
export class UpstreamBusy extends HttpError {
  constructor(upstream: string) {
    super({
      status: 503,
      message: `Upstream '${upstream}' has as many requests as its limits allow.`,
      type: 'upstream_error',
      code: 'upstream_busy',
      neverSent: true,
    });
  }
}
