import * as z from 'zod';
import { isObject, type JsonObject } from '../../../base/json.ts';
import type { FieldPath } from '../../../wire/apis/shared/requestSettings.ts';
import { type TextFormat, type TextFormatId, textFormats } from '../../../wire/apis/textFormats.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * Returns the values of a format's parameters that may be sent: values that the schema accepts, and unknown
 * fields.
 */
export type AcceptParameters = (format: TextFormat, values: Values) => Values;

/**
 * The JSON Schema of a format's parameters, without the common ones. The schema is false for a field that contains
 * only a common parameter.
 *
 * @param translated translates the English help of a field
 */
export async function parameterSchema(
  format: TextFormat,
  translated: (english: string) => string,
): Promise<object> {
  const schema = z.toJSONSchema(await parameters(format), { io: 'input', unrepresentable: 'any' });
  const own = { ...schema, properties: withoutOwn(format, schema.properties ?? {}) };
  const taken = Object.values(format.common).flatMap(({ paths }) => paths);
  return withHelp(taken.reduce<JsonObject>(withoutField, own), translated);
}

/** A JSON Schema with the help of its fields translated. */
export function withHelp(schema: object, translated: (english: string) => string): object {
  // A field that is itself named `description` has an object as its value.
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === 'description' && typeof value === 'string' ? translated(value) : value,
  ) as object;
}

/** Returns the values that may be sent: values that the schema accepts, and unknown fields. Never rejects. */
export async function acceptedParameters(format: TextFormat, values: Values): Promise<Values> {
  return acceptedBy(await parameters(format), format, values);
}

/** Loads the schemas of all formats, so that values can then be checked synchronously. */
export async function parameterCheck(): Promise<AcceptParameters> {
  const loaded = textFormats.map(async (format) => [format.id, await parameters(format)] as const);
  const schemas = Object.fromEntries(await Promise.all(loaded)) as Record<TextFormatId, ParameterSchema>;
  return (format, values) => acceptedBy(schemas[format.id], format, values);
}

function acceptedBy(schema: ParameterSchema, format: TextFormat, values: Values): Values {
  const parameterValues = withoutOwn(format, values);
  const checked = schema.safeParse(parameterValues);
  if (checked.success) return checked.data;
  const wrong = new Set(checked.error.issues.map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(parameterValues).filter(([name]) => !wrong.has(name)));
}

/** The schema with false instead of a property, in each alternative of the objects on the path. */
function withoutField(schema: JsonObject, [name, ...rest]: FieldPath): JsonObject {
  if (Array.isArray(schema.anyOf)) {
    const path = name === undefined ? [] : [name, ...rest];
    return { ...schema, anyOf: schema.anyOf.filter(isObject).map((each) => withoutField(each, path)) };
  }
  const { properties } = schema;
  if (name === undefined || !isObject(properties) || !isObject(properties[name])) return schema;
  const left = rest.length > 0 && withoutField(properties[name], rest);
  return { ...schema, properties: { ...properties, [name]: left } };
}

type ParameterSchema = Awaited<ReturnType<typeof parameters>>;

async function parameters(format: TextFormat) {
  return z.looseObject((await format.requestSchema()).shape).partial();
}

function withoutOwn({ ownFields }: TextFormat, fields: Values): Values {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !ownFields.includes(name)));
}
