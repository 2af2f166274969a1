import type { Cancellation } from '../../../base/cancellation.ts';
import type { TaskFormat } from '../../../wire/apis/taskRecordFormats.ts';
import { findLimitResetMs, readRetryAfterMs } from '../../../wire/failures/retryHint.ts';
import { HttpError, provesUnbilled } from '../../http/httpError.ts';
import type { RequestBody } from '../../http/requestBody.ts';
import { UpstreamReplyBody } from '../replyBody.ts';
import type {
  CreateCall,
  RequestFormat,
  TaskCall,
  Upstream,
  UpstreamCall,
  UpstreamCaller,
  UpstreamReply,
} from '../upstream.ts';
import type { GateSlot, UpstreamGate } from './upstreamGate.ts';

/** A call that sends a request to a model. */
interface ModelCall extends UpstreamCaller {
  readonly request?: RequestFormat;
  readonly model: string;
  readonly body: RequestBody;
  readonly taskId?: string;
  readonly seconds?: number | undefined;
}

/**
 * Wraps an upstream so that its requests pass the gate. Calls without a model, such as lists and reads of results,
 * bypass it.
 *
 * @param onFailure called if the upstream was not reached or did not reply
 */
export function gateUpstream(upstream: Upstream, gate: UpstreamGate, onFailure: () => void): Upstream {
  /** The number of calls that wait at the gate, or for the head of their reply. */
  let unansweredCalls = 0;
  let resolveAllAnswered: (() => void) | undefined;

  function gateCall<Call extends ModelCall>(
    send: (call: Call) => Promise<UpstreamReply>,
  ): (call: Call) => Promise<UpstreamReply> {
    return async (call) => {
      unansweredCalls += 1;
      let slot: GateSlot | undefined;
      try {
        slot =
          gate.tryEnter(call.model, call.queueing) ??
          (await gate.enter(call.model, call.untilSent ?? call.signal, call.queueing));
        const reply = await send(call);
        trackReply(reply, slot);
        return reply;
      } catch (error) {
        slot?.leave();
        if (slot && !isAbandoned(call.signal)) trackFailure(error, slot, onFailure);
        throw error;
      } finally {
        unansweredCalls -= 1;
        if (unansweredCalls === 0) resolveAllAnswered?.();
      }
    };
  }

  /** Wraps a function so that each request is counted at the last moment before it is sent. */
  function countCall<Call extends ModelCall>(
    send: (call: Call) => Promise<UpstreamReply>,
    task?: TaskFormat,
  ): (call: Call) => Promise<UpstreamReply> {
    return async (call) => {
      const { spending, model, body, taskId, seconds } = call;
      if (!spending) return send(call);
      const format = call.request?.format;
      const request = {
        upstream: upstream.name,
        model,
        body,
        format,
        ...(task && { task, taskId, seconds }),
      };
      const reservation = await spending.reserve(request);
      try {
        const reply = await send(call);
        reservation.settle(!provesUnbilled(reply.status));
        return reply;
      } catch (error) {
        reservation.settle(mayBeBilled(error));
        throw error;
      }
    };
  }

  const tasks: Upstream['tasks'] = Object.fromEntries(
    Object.entries(upstream.tasks).map(([id, each]) => {
      const format = id as TaskFormat;
      const { remix } = each;
      const gatedCalls = {
        create: gateCall(countCall((call: CreateCall) => each.create(call), format)),
        ...(remix && { remix: gateCall(countCall((call: CreateCall & TaskCall) => remix(call), format)) }),
      };
      return [format, { ...each, ...gatedCalls }];
    }),
  );
  const { sendCount } = upstream;
  return {
    ...upstream,
    send: gateCall(countCall((call: UpstreamCall) => upstream.send(call))),
    ...(sendCount && { sendCount: gateCall((call: UpstreamCall) => sendCount(call)) }),
    tasks,
    async drain() {
      if (unansweredCalls > 0) {
        await new Promise<void>((resolve) => {
          resolveAllAnswered = resolve;
        });
      }
      await upstream.drain();
    },
  };
}

/** Whether a request that failed may be billed. */
function mayBeBilled(error: unknown): boolean {
  if (!(error instanceof HttpError)) return true;
  const { isUnbilled, type, status } = error;
  return !isUnbilled && (type === 'invalid_reply_error' || !provesUnbilled(status));
}

/** The abort reason of a request whose reply did not begin in time. */
export class FirstByteTimeout extends Error {
  override readonly name = 'FirstByteTimeout';
}

/** Whether the caller disconnected or the gateway ended before the upstream replied. */
function isAbandoned({ aborted, reason }: Cancellation): boolean {
  return aborted && !(reason instanceof FirstByteTimeout);
}

/** Updates the gate from a reply, and frees the slot for another request once the reply ends. */
function trackReply({ status, headers, body }: UpstreamReply, slot: GateSlot): void {
  if (status === 429 || status >= 500) slot.reportRefusal(readRequestedPauseMs(headers));
  else slot.reportReply();
  if (status < 400 && body instanceof UpstreamReplyBody) body.onEnd(slot.leave);
  else slot.leave();
}

/** Updates the gate from a failure without a reply, or with an unreadable reply. */
function trackFailure(error: unknown, slot: GateSlot, onFailure: () => void): void {
  if (!(error instanceof HttpError)) return;
  const { type, status, headers } = error;
  const isUnreadable = type === 'invalid_reply_error';
  if (type !== 'upstream_error' && !isUnreadable) return;
  const pauseMs = readRequestedPauseMs(headers);
  if (status === 429 || pauseMs !== undefined) {
    slot.reportRefusal(pauseMs);
  } else if (status >= 500 || isUnreadable) {
    slot.reportFailure();
    onFailure();
  }
}

function readRequestedPauseMs(headers: UpstreamReply['headers']): number | undefined {
  const now = new Date();
  return readRetryAfterMs(headers, undefined, now) ?? findLimitResetMs(headers, now);
}
