import { countOmittedModels, decodeModelList, type Model } from '../wire/apis/models/modelList.ts';
import { refusedList } from '../wire/apis/refusal.ts';
import { malformedReply } from '../wire/errorMapping.ts';
import { explain } from '../wire/explanations/explanation.ts';
import { routes } from '../wire/routes.ts';
import { identify } from './callIdentity.ts';
import { DocumentSink } from './replySink.ts';
import type { Sender } from './send.ts';
import type { ListModelsOptions } from './types.ts';

/** @throws {GatewayError} also for a refusal with status 200, which is not an empty list */
export async function listModels(
  sender: Sender,
  { onOmitted, ...options }: ListModelsOptions,
): Promise<readonly Model[]> {
  let models: readonly Model[] | undefined;
  const sink = new DocumentSink((reply) => {
    models = decodeModelList(reply);
    const omitted = countOmittedModels(reply);
    if (models && omitted > 0) onOmitted?.(omitted);
    if (models && models.length > 0) return undefined;
    return refusedList(reply) ?? (models ? undefined : malformedReply(explain('model-list-missing')));
  });
  const call = { route: routes.listModels, accept: 'application/json' } as const;
  await sender.send({ ...call, sink, identity: identify(options), options });
  return models ?? [];
}
