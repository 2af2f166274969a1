import type { Model } from '../../wire/apis/models/modelList.ts';

/**
 * The longest stored list, in UTF-16 units of JSON: about 5,000 models. VS Code reads all stored state of
 * extensions at every start.
 */
const maxKeptBytes = 1024 * 1024;

/** Returns as many of the first models as may be stored for the next start. */
export function firstModels(models: readonly Model[]): readonly Model[] {
  let length = 0;
  const end = models.findIndex((model) => {
    length += JSON.stringify(model).length + 1;
    return length > maxKeptBytes;
  });
  return end < 0 ? models : models.slice(0, end);
}
