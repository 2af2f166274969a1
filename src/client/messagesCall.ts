import type { MessagesRequest, PartnerMessagesRequest } from '../wire/shapes/messages.ts';
import { MessagesReader } from '../wire/shapes/messagesReader.ts';
import type { CallOptions } from './gatewayClient.ts';
import type { TextCall } from './textCall.ts';

/** The one version of the protocol there is. */
const VERSION = '2023-06-01';

export interface MessagesOptions extends CallOptions {
  /** Beta features to turn on, by their names. */
  readonly betas?: readonly string[];
}

/**
 * The call of a messages request to a route with this path. The body of a partner-model route names its
 * version itself, which no header may contradict.
 */
export function messagesCall(
  request: MessagesRequest | PartnerMessagesRequest,
  path: string,
  betas: readonly string[] = [],
): TextCall {
  const { model, ...rest } = request;
  const isInPath = path.includes('{model}');
  return {
    route: 'messages',
    ...(isInPath && { params: { model: String(model ?? '') } }),
    vendorHeaders: {
      ...(!('vendor_version' in request) && { vendorVersion: VERSION }),
      ...(betas.length > 0 && { vendorBeta: betas.join(',') }),
    },
    body: isInPath ? rest : request,
    stream: request.stream === true,
    reader: new MessagesReader(),
  };
}
