import { parseJson } from '../base/json.ts';

/** Within JSON text a quote of a string is escaped, so this is a key. */
const modelField = /"model":\s*("(?:[^"\\]|\\.){1,512}")/;

/** What of a call may name a model. */
interface NamingCall {
  readonly params?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
}

/** The model that a call names, in its path or in its body. */
export function askedModel({ params, body = '' }: NamingCall): string | undefined {
  if (params?.model !== undefined) return params.model;
  const named = parseJson(modelField.exec(body)?.[1] ?? '');
  return typeof named === 'string' ? named : undefined;
}
