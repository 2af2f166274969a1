import type { Model } from '../../wire/apis/models/modelList.ts';

/**
 * The maximum length of the stored list as JSON, in UTF-16 units: about 5,000 models. VS Code reads all stored state of
 * extensions at every start.
 */
const maxStoredLength = 1024 * 1024;

/** Returns the first models that can be stored for the next start. */
export function selectStoredModels(models: readonly Model[]): readonly Model[] {
  let length = 0;
  const end = models.findIndex((model) => {
    length += JSON.stringify(model).length + 1;
    return length > maxStoredLength;
  });
  return end < 0 ? models : models.slice(0, end);
}
