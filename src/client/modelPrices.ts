import { decodeModelInfo, type TokenPrices } from '../wire/apis/models/modelInfo.ts';
import { malformedReply } from '../wire/errorMapping.ts';
import { explain } from '../wire/explanations/explanation.ts';
import { litellmRoutes } from '../wire/routes.ts';
import { identify } from './callIdentity.ts';
import { DocumentSink } from './replySink.ts';
import type { Sender } from './send.ts';
import type { CallOptions } from './types.ts';

/** About 2,000 deployments; reading more at once would be felt. */
const maxBytes = 8 * 1024 * 1024;

/** Few gateways have this route. */
const absentStatuses = [404, 405];

const timeouts = { firstByte: 10_000, idle: 10_000, total: 15_000 };

/** @throws {GatewayError} also where the gateway is no LiteLLM */
export async function readTokenPrices(sender: Sender, options: CallOptions): Promise<TokenPrices> {
  let prices: TokenPrices | undefined;
  const sink = new DocumentSink((reply) => {
    prices = decodeModelInfo(reply);
    return prices ? undefined : malformedReply(explain('model-list-missing'));
  }, maxBytes);
  await sender.send({
    ...{ route: litellmRoutes.readModelInfo, accept: 'application/json', sink },
    ...{ identity: identify(options), options: { timeouts, expects: absentStatuses, ...options } },
  });
  return prices ?? new Map();
}
