import { decodeModelInfo, type TokenPrices } from '../wire/apis/models/modelInfo.ts';
import {
  countOmittedModels,
  decodeModelList,
  findNextModelPage,
  type Model,
  maxModels,
} from '../wire/apis/models/modelList.ts';
import { findListRefusal } from '../wire/apis/taskRecord/refusal.ts';
import { explain } from '../wire/explanations/explanation.ts';
import { GatewayError } from '../wire/failures/gatewayError.ts';
import { createMalformedReplyFailure } from '../wire/failures/replyFailure.ts';
import { followPages, type PageQuery } from '../wire/listPages.ts';
import { litellmRoutes, routes } from '../wire/routes.ts';
import { minEchoLength } from '../wire/secrets/echoFilter.ts';
import { containsSecret } from '../wire/secrets/secretForms.ts';
import { createCallIdentity } from './callIdentity.ts';
import { DocumentSink } from './replySink.ts';
import type { Sender } from './sender.ts';
import type { CallOptions, ListModelsOptions } from './types.ts';

/** @throws {GatewayError} also for a refusal with status 200, which is not an empty list */
export async function listModels(
  sender: Sender,
  { onOmitted, ...options }: ListModelsOptions,
): Promise<readonly Model[]> {
  const models = new Map<string, Model>();
  let omitted = 0;
  const readNext = (query: PageQuery) =>
    readPage(sender, query, options).catch((error: unknown): ModelPage => {
      if (models.size > 0 && refusesPage(error)) return noModels;
      throw error;
    });
  for await (const page of followPages(readNext, () => models.size)) {
    for (const model of page.models) {
      if (models.has(model.id)) continue;
      if (models.size < maxModels) models.set(model.id, model);
      else omitted += 1;
    }
    omitted += page.omitted;
  }
  if (omitted > 0) onOmitted?.(omitted);
  return [...models.values()];
}

interface ModelPage {
  readonly models: readonly Model[];
  /** The number of models of the page that were not read. */
  readonly omitted: number;
  readonly next: PageQuery | undefined;
}

const noModels: ModelPage = { models: [], omitted: 0, next: undefined };

async function readPage(sender: Sender, query: PageQuery, options: CallOptions): Promise<ModelPage> {
  let page = noModels;
  const sink = new DocumentSink((reply, { headers, secrets }) => {
    const allModels = decodeModelList(reply);
    const models = allModels && dropModelsWithSecret(allModels, secrets);
    page = {
      models: models ?? [],
      omitted: countOmittedModels(reply),
      next: findNextModelPage(reply, headers),
    };
    if (models && models.length > 0) return undefined;
    return (
      findListRefusal(reply) ??
      (models ? undefined : createMalformedReplyFailure(explain('model-list-missing')))
    );
  });
  const call = { route: routes.listModels, query, accept: 'application/json' } as const;
  await sender.send({ ...call, sink, identity: createCallIdentity(options), options });
  return page;
}

/** Whether a gateway announced another page but cannot send it. The earlier pages remain valid. */
function refusesPage(error: unknown): boolean {
  return GatewayError.is(error) && (error.kind === 'invalid-parameters' || error.kind === 'malformed-reply');
}

/** Drops models whose texts contain the credential or a secret header, because the list is stored and shown. */
function dropModelsWithSecret(models: readonly Model[], secrets: readonly string[]): readonly Model[] {
  const longSecrets = secrets.filter(({ length }) => length >= minEchoLength);
  const hasSecret = (text: string) => longSecrets.some((secret) => containsSecret(text, secret));
  const joinTexts = ({ id, name = '', owner }: Model) => `${id}\n${name}\n${owner}`;
  if (!hasSecret(models.map(joinTexts).join('\n'))) return models;
  return models.filter((model) => !hasSecret(joinTexts(model)));
}

/** Enough for about 2,000 deployments. Parsing more at once would block the thread noticeably. */
const maxPriceBytes = 8 * 1024 * 1024;

/** The statuses of the many gateways that do not have this route. */
const absentStatuses = [404, 405];

const priceTimeouts = { firstByte: 10_000, idle: 10_000, total: 15_000 };

/** @throws {GatewayError} also if the gateway is not LiteLLM */
export async function readTokenPrices(sender: Sender, options: CallOptions): Promise<TokenPrices> {
  let prices: TokenPrices | undefined;
  const sink = new DocumentSink((reply) => {
    prices = decodeModelInfo(reply);
    return prices ? undefined : createMalformedReplyFailure(explain('model-list-missing'));
  }, maxPriceBytes);
  await sender.send({
    route: litellmRoutes.readModelInfo,
    accept: 'application/json',
    sink,
    identity: createCallIdentity(options),
    options: { timeouts: priceTimeouts, expects: absentStatuses, ...options },
  });
  return prices ?? new Map();
}
