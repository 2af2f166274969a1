import { countOmittedModels, decodeModelList, type Model } from '../wire/apis/models/modelList.ts';
import { refusedList } from '../wire/apis/refusal.ts';
import { malformedReply } from '../wire/errorMapping.ts';
import { explain } from '../wire/explanations/explanation.ts';
import { routes } from '../wire/routes.ts';
import { minEchoLength } from '../wire/secrets/echoes.ts';
import { holdsSecret } from '../wire/secrets/secretForms.ts';
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
  const sink = new DocumentSink((reply, { secrets }) => {
    const listed = decodeModelList(reply);
    models = listed && withoutCredential(listed, secrets);
    const omitted = countOmittedModels(reply);
    if (models && omitted > 0) onOmitted?.(omitted);
    if (models && models.length > 0) return undefined;
    return refusedList(reply) ?? (models ? undefined : malformedReply(explain('model-list-missing')));
  });
  const call = { route: routes.listModels, accept: 'application/json' } as const;
  await sender.send({ ...call, sink, identity: identify(options), options });
  return models ?? [];
}

/** The list is kept and shown, and a gateway may write into it what it was sent (P1). */
function withoutCredential(models: readonly Model[], secrets: readonly string[]): readonly Model[] {
  const hidden = secrets.filter(({ length }) => length >= minEchoLength);
  const holds = (text: string) => hidden.some((secret) => holdsSecret(text, secret));
  const textOf = ({ id, name = '', owner }: Model) => `${id}\n${name}\n${owner}`;
  if (!holds(models.map(textOf).join('\n'))) return models;
  return models.filter((model) => !holds(textOf(model)));
}
