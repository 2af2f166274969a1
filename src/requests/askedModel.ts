import { parseJson } from '../base/json.ts';

/** Within JSON text a quote of a string is escaped, so this is a key. */
const modelField = /"model":\s*("(?:[^"\\]|\\.){1,512}")/;
const modelInPath = /\/models\/([^/]{1,512}):[a-z]+$/i;

/** The model that a request names, in its path or in its body. */
export function askedModel(url: string, body: string | undefined): string | undefined {
  const inPath = modelInPath.exec(new URL(url).pathname)?.[1];
  if (inPath !== undefined) return decoded(inPath);
  const named = parseJson(modelField.exec(body ?? '')?.[1] ?? '');
  return typeof named === 'string' ? named : undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
