import { MessagesReader } from '../wire/apis/messages/decode.ts';
import type { MessagesRequest, PartnerMessagesRequest } from '../wire/apis/messages/request.ts';
import { type HeaderChoice, namesVersion, versionField } from '../wire/headerNames.ts';
import type { CallOptions } from './gatewayClient.ts';
import type { TextCall } from './textCall.ts';

/** The only version of the protocol. */
const VERSION = '2023-06-01';

export interface MessagesOptions extends CallOptions {
  /** Names of beta features to turn on. */
  readonly betas?: readonly string[];
}

/**
 * Builds the call of a messages request for a route. The body for a partner-model route holds the version
 * itself, in the gateway's own spelling, so no header may contradict it.
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

/** A body that already holds the provider's own name of the field stays unchanged. */
function withVersionField(
  request: MessagesRequest | PartnerMessagesRequest,
  field: string,
): Readonly<Record<string, unknown>> {
  const { vendor_version, ...rest } = request as Readonly<Record<string, unknown>>;
  return vendor_version === undefined ? rest : { [field]: vendor_version, ...rest };
}
