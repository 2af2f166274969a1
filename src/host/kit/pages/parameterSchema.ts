import * as z from 'zod';
import { isObject, type JsonObject } from '../../../base/json.ts';
import type { FieldPath } from '../../../wire/apis/shared/requestSettings.ts';
import { type TextFormat, type TextFormatId, textFormats } from '../../../wire/apis/textFormats.ts';

/**
 * Returns the values of a format's parameters that may be sent: values that the schema accepts, and unknown
 * fields.
 */
export type AcceptParameters = (format: TextFormat, values: JsonObject) => JsonObject;

/**
 * Builds the JSON Schema of a format's parameters, without the common parameters. A field that contains only a common
 * parameter has the schema `false`.
 *
 * @param translate translates the English help of a field
 */
export async function buildParameterSchema(
  format: TextFormat,
  translate: (english: string) => string,
): Promise<object> {
  const schema = z.toJSONSchema(await loadSchema(format), { io: 'input', unrepresentable: 'any' });
  const own = { ...schema, properties: omitOwnFields(format, schema.properties ?? {}) };
  const commonPaths = Object.values(format.common).flatMap(({ paths }) => paths);
  return translateHelp(commonPaths.reduce<JsonObject>(omitField, own), translate);
}

/** Translates the help of the fields of a JSON Schema. */
export function translateHelp(schema: object, translate: (english: string) => string): object {
  // A field that is itself named `description` has an object as its value.
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === 'description' && typeof value === 'string' ? translate(value) : value,
  ) as object;
}

/** Returns the values that may be sent: values that the schema accepts, and unknown fields. Never rejects. */
export async function filterParameters(format: TextFormat, values: JsonObject): Promise<JsonObject> {
  return filterBySchema(await loadSchema(format), format, values);
}

/** Loads the schemas of all formats, and returns a function that checks values synchronously. */
export async function loadParameterFilter(): Promise<AcceptParameters> {
  const loaded = textFormats.map(async (format) => [format.id, await loadSchema(format)] as const);
  const schemas = Object.fromEntries(await Promise.all(loaded)) as Record<TextFormatId, ParameterSchema>;
  return (format, values) => filterBySchema(schemas[format.id], format, values);
}

function filterBySchema(schema: ParameterSchema, format: TextFormat, values: JsonObject): JsonObject {
  const parameterValues = omitOwnFields(format, values);
  const checked = schema.safeParse(parameterValues);
  if (checked.success) return checked.data;
  const invalidNames = new Set(checked.error.issues.map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(parameterValues).filter(([name]) => !invalidNames.has(name)));
}

/** Replaces a property of a schema by false, in each alternative of the objects on the path. */
function omitField(schema: JsonObject, [name, ...rest]: FieldPath): JsonObject {
  if (Array.isArray(schema.anyOf)) {
    const path = name === undefined ? [] : [name, ...rest];
    return { ...schema, anyOf: schema.anyOf.filter(isObject).map((each) => omitField(each, path)) };
  }
  const { properties } = schema;
  if (name === undefined || !isObject(properties) || !isObject(properties[name])) return schema;
  const remainder = rest.length > 0 && omitField(properties[name], rest);
  return { ...schema, properties: { ...properties, [name]: remainder } };
}

type ParameterSchema = Awaited<ReturnType<typeof loadSchema>>;

async function loadSchema(format: TextFormat) {
  return z.looseObject((await format.requestSchema()).shape).partial();
}

function omitOwnFields({ ownFields }: TextFormat, fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !ownFields.includes(name)));
}
