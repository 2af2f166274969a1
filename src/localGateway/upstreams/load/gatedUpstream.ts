import type { Cancellation } from '../../../base/cancellation.ts';
import { limitResetMs, retryAfterMs } from '../../../wire/retryHint.ts';
import { HttpError } from '../../http/httpError.ts';
import { ReplyBody } from '../replyBody.ts';
import type {
  CreateCall,
  TaskCall,
  Upstream,
  UpstreamCall,
  UpstreamCaller,
  UpstreamReply,
} from '../upstream.ts';
import type { GatePlace, UpstreamGate } from './upstreamGate.ts';

/** The calls that ask a model. */
interface AskingCall extends UpstreamCaller {
  readonly model: string;
}

/**
 * The upstream as it is asked through its gate. What asks no model passes beside it: lists, and reading what was
 * made.
 *
 * @param failed called when the upstream was not reached, or brought no reply
 */
export function gatedUpstream(upstream: Upstream, gate: UpstreamGate, failed: () => void): Upstream {
  /** Calls that may still have to be sent. */
  let unsent = 0;
  let allSent: (() => void) | undefined;

  function gated<Call extends AskingCall>(
    ask: (call: Call) => Promise<UpstreamReply>,
  ): (call: Call) => Promise<UpstreamReply> {
    return async (call) => {
      unsent += 1;
      let place: GatePlace | undefined;
      try {
        place =
          gate.tryEnter(call.model, call.queueing) ??
          (await gate.enter(call.model, call.untilSent ?? call.signal, call.queueing));
        const reply = await ask(call);
        follow(reply, place);
        return reply;
      } catch (error) {
        place?.leave();
        if (place && !wasLeft(call.signal)) learn(error, place, failed);
        throw error;
      } finally {
        unsent -= 1;
        if (unsent === 0) allSent?.();
      }
    };
  }

  const tasks: Upstream['tasks'] = Object.fromEntries(
    Object.entries(upstream.tasks).map(([format, each]) => {
      const { remix } = each;
      const making = {
        create: gated((call: CreateCall) => each.create(call)),
        ...(remix && { remix: gated((call: CreateCall & TaskCall) => remix(call)) }),
      };
      return [format, { ...each, ...making }];
    }),
  );
  const { sendCount } = upstream;
  return {
    ...upstream,
    send: gated((call: UpstreamCall) => upstream.send(call)),
    ...(sendCount && { sendCount: gated((call: UpstreamCall) => sendCount(call)) }),
    tasks,
    async drain() {
      if (unsent > 0) {
        await new Promise<void>((resolve) => {
          allSent = resolve;
        });
      }
      await upstream.drain();
    },
  };
}

/** Why a request is given up whose reply did not begin in time. */
export class FirstByteLimit extends Error {
  override readonly name = 'FirstByteLimit';
}

/** Whether the caller had enough, or the gateway ended, before the upstream could answer. */
function wasLeft({ aborted, reason }: Cancellation): boolean {
  return aborted && !(reason instanceof FirstByteLimit);
}

/** Learns from a reply, and gives its place to another request once the reply is over. */
function follow({ status, headers, body }: UpstreamReply, place: GatePlace): void {
  if (status === 429 || status >= 500) place.refused(toldPause(headers));
  else place.answered();
  if (status < 400 && body instanceof ReplyBody) body.whenOver(place.leave);
  else place.leave();
}

/** Learns from a failure without a reply, or with one that nobody can read. */
function learn(error: unknown, place: GatePlace, failed: () => void): void {
  if (!(error instanceof HttpError)) return;
  const { type, status, headers } = error;
  const isUnreadable = type === 'invalid_reply_error';
  if (type !== 'upstream_error' && !isUnreadable) return;
  const pauseMs = toldPause(headers);
  if (status === 429 || pauseMs !== undefined) {
    place.refused(pauseMs);
  } else if (status >= 500 || isUnreadable) {
    place.failed();
    failed();
  }
}

function toldPause(headers: UpstreamReply['headers']): number | undefined {
  const now = new Date();
  return retryAfterMs(headers, undefined, now) ?? limitResetMs(headers, now);
}
