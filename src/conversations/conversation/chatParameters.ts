import { isObject, type JsonObject, sameJson } from '../../base/json.ts';
import { mergeObjects, valueAt, withValue } from '../../base/nestedValues.ts';
import {
  type CommonName,
  type CommonParameters,
  commonNames,
} from '../../wire/apis/shared/requestSettings.ts';
import { type TextFormat, type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import type { ReplySettings } from './turn.ts';

/** The parameters of a chat's requests, for all API formats. */
export interface ChatParameters {
  /** Empty for none. */
  readonly systemPrompt: string;
  readonly common: CommonParameters;
  /** Further fields of the requests for each format, by the format's own names. */
  readonly others: Readonly<Partial<Record<TextFormatId, JsonObject>>>;
}

export const noParameters: ChatParameters = { systemPrompt: '', common: {}, others: {} };

/**
 * Builds the parameter fields of a request in an API format. Parameters that the format does not support are
 * omitted.
 */
export function buildRequestFields(
  { common, others }: ChatParameters,
  format: TextFormatId,
  model: string,
): JsonObject {
  const values = commonNames.flatMap((name) => textFormat(format).common[name]?.place(common, model) ?? []);
  const fields = values.reduce<JsonObject>((object, { path, value }) => withValue(object, path, value), {});
  return mergeObjects(fields, others[format] ?? {});
}

/** Reads the JSON Schema that a request requires for its reply; undefined if it does not require one. */
export function readResponseSchema(fields: JsonObject, format: TextFormatId): JsonObject | undefined {
  const path = textFormat(format).common.responseSchema?.readPath;
  const schema = path && valueAt(fields, path);
  return isObject(schema) ? schema : undefined;
}

/** Whether a request requires JSON, with or without a schema. */
export function requiresJson({ parameters, format, model }: Omit<ReplySettings, 'systemPrompt'>): boolean {
  if (readResponseSchema(parameters, format)) return true;
  const fields = textFormat(format).common.responseFormat?.place({ responseFormat: 'json' }, model) ?? [];
  return fields.length > 0 && fields.every(({ path, value }) => sameJson(valueAt(parameters, path), value));
}

/** Counts the parameters that a request contains, including the system prompt. */
export function countParameters(
  { systemPrompt, common, others }: ChatParameters,
  format: TextFormatId,
  model: string,
): number {
  const { common: supported } = textFormat(format);
  const sentNames = commonNames.filter((name) => (supported[name]?.place(common, model).length ?? 0) > 0);
  return (systemPrompt === '' ? 0 : 1) + sentNames.length + Object.keys(others[format] ?? {}).length;
}

/** Whether no parameter is set in any format. */
export function isUnset({ systemPrompt, common, others }: ChatParameters): boolean {
  const isEmpty = (object: object) => Object.keys(object).length === 0;
  return systemPrompt === '' && isEmpty(common) && Object.values(others).every(isEmpty);
}

/** Returns the parameters with a changed common parameter; undefined removes it. */
export function withCommonParameter(
  parameters: ChatParameters,
  name: CommonName,
  value: CommonParameters[CommonName],
): ChatParameters {
  const { [name]: _, ...rest } = parameters.common;
  return { ...parameters, common: value === undefined ? rest : { ...rest, [name]: value } };
}

/** Returns the parameters with changed further fields of a format, without fields that a common parameter sets. */
export function withOtherFields(
  parameters: ChatParameters,
  format: TextFormatId,
  fields: JsonObject,
): ChatParameters {
  const { [format]: _, ...others } = parameters.others;
  const remaining = removeCommonFields(textFormat(format), fields);
  return {
    ...parameters,
    others: Object.keys(remaining).length === 0 ? others : { ...others, [format]: remaining },
  };
}

function removeCommonFields(format: TextFormat, fields: JsonObject): JsonObject {
  const paths = commonNames.flatMap((name) => format.common[name]?.paths ?? []);
  return paths.reduce(
    (remaining, path) =>
      valueAt(remaining, path) === undefined ? remaining : withValue(remaining, path, undefined),
    fields,
  );
}
