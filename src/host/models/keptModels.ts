import type { Model } from '../../wire/apis/models/modelList.ts';

/**
 * VS Code keeps all that extensions remember in one place, read whole at every start: a list beyond this is kept
 * in part. In characters of JSON, which hold 5,000 models of ordinary names.
 */
const maxKeptBytes = 1024 * 1024;

/** The first of the models, as many as may be kept for the next start. */
export function firstModels(models: readonly Model[]): readonly Model[] {
  let length = 0;
  const end = models.findIndex((model) => {
    length += JSON.stringify(model).length + 1;
    return length > maxKeptBytes;
  });
  return end < 0 ? models : models.slice(0, end);
}
