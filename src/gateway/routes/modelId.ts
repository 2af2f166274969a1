/** The id of a model by the name its shape may give it: `models/x` is x. */
export function modelId(name = ''): string {
  return name.replace(/^models\//, '');
}
