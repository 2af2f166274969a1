/**
 * The id of a model by the names its shape may give it: `models/x` is x, also where a library has written
 * the prefix once more, and `publishers/y/models/x`, as cloud platforms call it, is y/x.
 */
export function modelId(name = ''): string {
  const id = name.replace(/^(models\/)+/, '');
  const [, publisher, model] = /(?:^|\/)publishers\/([^/]+)\/models\/(.+)$/.exec(id) ?? [];
  return publisher === undefined || model === undefined ? id : `${publisher}/${model}`;
}
