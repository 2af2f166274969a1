import type { ServedRequest } from '../../protocol/gatewayControl.ts';
import { type RequestFailure, type RequestFigures, requestFailure } from '../../requests/requestRecord.ts';
import { textFormats } from '../../wire/apis/textFormats.ts';
import { cutReply, type FailureDetails, failureOfReply } from '../../wire/errorMapping.ts';
import { routes } from '../../wire/routes.ts';
import { localEntry } from './gateways.ts';

const known = [...textFormats.flatMap((format) => format.routes), ...Object.values(routes)];

/**
 * A request that the local gateway answered to another program, as the Requests view shows it.
 *
 * @param baseUrl of the local gateway
 */
export function servedFigures(baseUrl: string, served: ServedRequest): RequestFigures {
  const { time, method, route, status, ms, firstByteMs, bytes, requestId, credential = '' } = served;
  const { model = '', alias = model, upstream, conversion, passedOver = [] } = served;
  const named = known.find((each) => each.method === method && each.path === route);
  const failure = failureOf(served, baseUrl, named);
  const notes = {
    ...(upstream !== undefined && { upstream }),
    ...(alias !== model && { model }),
    ...(conversion !== undefined && { conversion }),
    ...(passedOver.length > 0 && { passedOver: passedOver.join('; ') }),
  };
  return {
    id: `served ${time} ${requestId}`,
    gateway: localEntry.name,
    caller: credential,
    route: named?.name ?? route,
    method,
    url: `${baseUrl}${route.startsWith('/') ? route : ''}`,
    requestId,
    requestedAt: time,
    status,
    totalMs: ms,
    bytesReceived: bytes,
    ...(alias !== '' && { model: alias }),
    ...(firstByteMs !== undefined && { firstByteMs }),
    ...(Object.keys(notes).length > 0 && { notes }),
    ...(failure && { failure }),
  };
}

/** By its status alone: what was said is told to the caller only. */
function failureOf(
  { status, isCut }: ServedRequest,
  baseUrl: string,
  route: (typeof known)[number] | undefined,
): RequestFailure | undefined {
  const details = isCut ? cutReply() : status >= 400 ? ofStatus(status, baseUrl, route) : undefined;
  return details && requestFailure(details);
}

function ofStatus(
  status: number,
  baseUrl: string,
  route: (typeof known)[number] | undefined,
): FailureDetails {
  const { group = '', name } = route ?? {};
  const reply = { status, headers: {}, body: '', group, url: new URL(baseUrl), now: new Date() };
  return failureOfReply({ ...reply, ...(name !== undefined && { route: name }) });
}
