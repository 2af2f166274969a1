/**
 * Reduces the names of a model to its id: `models/x` is x, also with the prefix repeated by a library, and
 * `publishers/y/models/x` of cloud platforms is y/x.
 */
export function modelId(name = ''): string {
  const id = name.replace(/^(models\/)+/, '');
  const [, publisher, model] = /(?:^|\/)publishers\/([^/]+)\/models\/(.+)$/s.exec(id) ?? [];
  return publisher === undefined || model === undefined ? id : `${publisher}/${model}`;
}
