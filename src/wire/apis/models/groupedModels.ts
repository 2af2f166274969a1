import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { FoundList } from '../../listPages.ts';
import { isAsideName } from '../taskRecord/memberNames.ts';

/**
 * Finds the models in a list of each provider, as in `{openai:[{id}],anthropic:[{id}]}`, with the provider as their
 * owner where they name none.
 *
 * @param keys the members that may hold these lists, besides the reply itself
 * @returns undefined where one of them may be a list of something else
 */
export function groupedModels(reply: unknown, keys: readonly string[]): FoundList | undefined {
  if (!isObject(reply)) return undefined;
  for (const place of [...keys.map((key) => reply[key]), reply]) {
    const elements = isObject(place) ? elementsIn(place) : undefined;
    if (elements) return { elements, envelope: reply };
  }
  return undefined;
}

function elementsIn(place: JsonObject): readonly JsonObject[] | undefined {
  const members = Object.entries(place);
  const groups = members.filter(([, value]) => Array.isArray(value)) as [string, readonly unknown[]][];
  const hasOthers =
    members.some(([, value]) => isObject(value)) || groups.some(([name]) => isAsideName(name));
  if (hasOthers || !groups.every(([, list]) => list.every(isModel))) return undefined;
  const elements = groups.flatMap(([owner, list]) => ownedBy(owner, list));
  const isSeveral = groups.filter(([, list]) => list.length > 0).length > 1;
  const areSaidToBe = elements.length > 0 && elements.every(({ object }) => object === 'model');
  return isSeveral || areSaidToBe ? elements : undefined;
}

/**
 * The models in the elements of a list of providers, as in `[{provider,models:[{id}]}]`.
 *
 * @returns undefined unless each element holds such a list, and is no model itself
 */
export function modelsOfProviders(elements: readonly unknown[]): readonly JsonObject[] | undefined {
  const models = elements.map((element) => {
    if (!isObject(element) || element.object === 'model' || !Array.isArray(element.models)) return undefined;
    const { provider, name, id, models } = element;
    const owner = [provider, name, id].map(nonEmptyString).find(Boolean) ?? '';
    return models.every(isModel) ? ownedBy(owner, models) : undefined;
  });
  const all = models.every((each) => each !== undefined) ? models.flat() : [];
  return all.length > 0 ? all : undefined;
}

function ownedBy(owner: string, models: readonly unknown[]): readonly JsonObject[] {
  return models.filter(isObject).map((model) => ({ owned_by: owner, ...model }));
}

function isModel(element: unknown): boolean {
  return isObject(element) && nonEmptyString(element.id) !== undefined && element.message === undefined;
}
