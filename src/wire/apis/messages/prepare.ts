import { namesVersion, versionField } from '../../headerNames.ts';
import type { Destination, PreparedRequest } from '../apiFormat.ts';
import type { MessagesRequest, PartnerMessagesRequest } from './request.ts';

/** The only version of the protocol. */
const protocolVersion = '2023-06-01';

/**
 * Prepares a messages request. The body for a partner-model route holds the version itself, in the gateway's
 * own spelling, so no header may contradict it. When the path holds the model, the body does not.
 */
export function prepareMessages(
  request: MessagesRequest | PartnerMessagesRequest,
  { path, headers, betas = [] }: Destination,
): PreparedRequest {
  const spelled = withVersionField(request, versionField(headers));
  const { model, ...rest } = spelled;
  const isInPath = path.includes('{model}');
  return {
    ...(isInPath && { params: { model: String(model ?? '') } }),
    vendorHeaders: {
      ...(!namesVersion(request) && { vendorVersion: protocolVersion }),
      ...(betas.length > 0 && { vendorBeta: betas.join(',') }),
    },
    body: isInPath ? rest : spelled,
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
