import { MessagesReader } from '../wire/apis/messages/decode.ts';
import type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/request.ts';
import { type HeaderChoice, namesVersion, versionField } from '../wire/headerNames.ts';
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
 * version itself, in the gateway's own spelling, which no header may contradict.
 */
export function messagesCall(
  request: MessagesRequest | PartnerMessagesRequest,
  path: string,
  betas: readonly string[] = [],
  headers?: HeaderChoice,
): TextCall {
  const spelled = withVersionField(request, versionField(headers));
  const { model, ...rest } = spelled;
  const isInPath = path.includes('{model}');
  return {
    route: 'messages',
    ...(isInPath && { params: { model: String(model ?? '') } }),
    vendorHeaders: {
      ...(!namesVersion(request) && { vendorVersion: VERSION }),
      ...(betas.length > 0 && { vendorBeta: betas.join(',') }),
    },
    body: isInPath ? rest : spelled,
    stream: request.stream === true,
    reader: new MessagesReader(),
  };
}

/** Whoever writes the provider's own name of the field means it. */
function withVersionField(
  request: MessagesRequest | PartnerMessagesRequest,
  field: string,
): Readonly<Record<string, unknown>> {
  const { vendor_version, ...rest } = request as Readonly<Record<string, unknown>>;
  return vendor_version === undefined ? rest : { [field]: vendor_version, ...rest };
}
