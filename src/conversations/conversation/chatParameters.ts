import { isObject, type JsonObject, sameJson } from '../../base/json.ts';
import { mergedObjects, valueAt, withValue } from '../../base/nestedValues.ts';
import {
  type CommonName,
  type CommonParameters,
  commonNames,
} from '../../wire/apis/format/requestSettings.ts';
import { type TextFormat, type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import type { Asking } from './turn.ts';

/** What a chat asks with beside its questions, whatever the API format. */
export interface ChatParameters {
  /** Stands above the conversation. Empty for none. */
  readonly systemPrompt: string;
  readonly common: CommonParameters;
  /** Further fields of the requests, by format, in the format's own names. */
  readonly others: Readonly<Partial<Record<TextFormatId, JsonObject>>>;
}

export const noParameters: ChatParameters = { systemPrompt: '', common: {}, others: {} };

/** The fields of a request of a format, besides the conversation. What the format does not take stays out. */
export function requestFields(
  { common, others }: ChatParameters,
  format: TextFormatId,
  model: string,
): JsonObject {
  const placed = commonNames.flatMap((name) => textFormat(format).common[name]?.place(common, model) ?? []);
  const fields = placed.reduce<JsonObject>((all, { path, value }) => withValue(all, path, value), {});
  return mergedObjects(fields, others[format] ?? {});
}

/** The JSON Schema that a request of a format asks its answer to match; undefined for none. */
export function askedSchema(fields: JsonObject, format: TextFormatId): JsonObject | undefined {
  const path = textFormat(format).common.responseSchema?.heldAt;
  const schema = path && valueAt(fields, path);
  return isObject(schema) ? schema : undefined;
}

/** Whether a question asks for JSON, of a schema or of any form. */
export function asksForJson({ parameters, format, model }: Omit<Asking, 'systemPrompt'>): boolean {
  if (askedSchema(parameters, format)) return true;
  const fields = textFormat(format).common.responseFormat?.place({ responseFormat: 'json' }, model) ?? [];
  return fields.length > 0 && fields.every(({ path, value }) => sameJson(valueAt(parameters, path), value));
}

/** How many parameters a question would be asked with, the system prompt included. */
export function countSet(
  { systemPrompt, common, others }: ChatParameters,
  format: TextFormatId,
  model: string,
): number {
  const { common: fields } = textFormat(format);
  const sent = commonNames.filter((name) => (fields[name]?.place(common, model).length ?? 0) > 0);
  return (systemPrompt === '' ? 0 : 1) + sent.length + Object.keys(others[format] ?? {}).length;
}

/** Whether nothing is set, in any format. */
export function isUnset({ systemPrompt, common, others }: ChatParameters): boolean {
  const isEmpty = (object: object) => Object.keys(object).length === 0;
  return systemPrompt === '' && isEmpty(common) && Object.values(others).every(isEmpty);
}

/** The common parameters with another value; undefined takes it out. */
export function withCommon(
  parameters: ChatParameters,
  name: CommonName,
  value: CommonParameters[CommonName],
): ChatParameters {
  const { [name]: _, ...rest } = parameters.common;
  return { ...parameters, common: value === undefined ? rest : { ...rest, [name]: value } };
}

/** The parameters with other further fields of a format, of which those that a common parameter holds stay out. */
export function withOthers(
  parameters: ChatParameters,
  format: TextFormatId,
  fields: JsonObject,
): ChatParameters {
  const { [format]: _, ...others } = parameters.others;
  const kept = withoutCommon(textFormat(format), fields);
  return { ...parameters, others: Object.keys(kept).length === 0 ? others : { ...others, [format]: kept } };
}

function withoutCommon(format: TextFormat, fields: JsonObject): JsonObject {
  const paths = commonNames.flatMap((name) => format.common[name]?.paths ?? []);
  return paths.reduce(
    (kept, path) => (valueAt(kept, path) === undefined ? kept : withValue(kept, path, undefined)),
    fields,
  );
}
