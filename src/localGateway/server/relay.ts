import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { UpstreamReply } from '../upstreams/upstream.ts';

export interface RelayOptions {
  /** Aborted when the caller has gone or the gateway ends. */
  readonly signal: AbortSignal;
  /** Aborted when the gateway ends. */
  readonly closing: AbortSignal;
  /** The last event of an event stream when the gateway ends between two events. */
  readonly finalEvent: () => string;
}

/**
 * Passes the bytes of a reply on, no faster than the caller reads. When the upstream's reply is cut, so is
 * this one, which the caller must not take for complete. Never rejects.
 */
export async function relay(
  reply: UpstreamReply,
  res: ServerResponse,
  { signal, closing, finalEvent }: RelayOptions,
): Promise<void> {
  let tail = '\n\n';
  try {
    res.writeHead(reply.status, reply.headers);
    res.flushHeaders();
    for await (const bytes of reply.body) {
      tail = (tail + Buffer.from(bytes.slice(-3)).toString('latin1')).slice(-3);
      if (!res.write(bytes)) await once(res, 'drain', { signal });
    }
    res.end();
  } catch {
    if (closing.aborted && isEventStream(reply) && endsEvent(tail)) {
      res.end(finalEvent());
    } else {
      res.destroy();
    }
  }
}

function isEventStream({ headers }: UpstreamReply): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true && !headers['content-encoding'];
}

function endsEvent(tail: string): boolean {
  return tail.endsWith('\n\n') || tail.endsWith('\n\r\n') || tail.endsWith('\r\r');
}
