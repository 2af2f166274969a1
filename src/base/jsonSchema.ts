/** The part of JSON Schema that request schemas use. Anything else is ignored. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Subschema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Subschema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Subschema;
  readonly propertyNames?: Subschema;
}

/** `true` allows everything, `false` nothing. */
export type Subschema = JsonSchema | boolean;

/** Returns the alternatives of a schema, each with a single type. A plain schema is its only alternative. */
export function listAlternatives(schema: JsonSchema): readonly JsonSchema[] {
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.flatMap(listAlternatives);
  if (typeof schema.type === 'object') return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

/** Like `listAlternatives`, without null, which means "not set" in a request. */
export function listNonNullAlternatives(schema: JsonSchema): readonly JsonSchema[] {
  return listAlternatives(schema).filter(({ type }) => type !== 'null');
}

/** The values of an enumeration; a constant has one value. Undefined for any other schema. */
export function listOptions(schema: JsonSchema): readonly unknown[] | undefined {
  return schema.enum ?? ('const' in schema ? [schema.const] : undefined);
}
