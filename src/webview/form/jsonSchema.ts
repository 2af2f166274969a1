/** The part of JSON Schema that the request schemas are written in. Anything else is passed over. */
export interface JsonSchema {
  readonly type?: string | readonly string[];
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

/** What a value may be, one schema of a single type for each possibility. A plain schema is its own only one. */
export function alternatives(schema: JsonSchema): readonly JsonSchema[] {
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.flatMap(alternatives);
  if (typeof schema.type === 'object') return schema.type.map((type) => ({ ...schema, type }));
  return [schema];
}

/** The alternatives without null, which stands for "not set" in a request. */
export function alternativesBesideNull(schema: JsonSchema): readonly JsonSchema[] {
  return alternatives(schema).filter(({ type }) => type !== 'null');
}

/** The values of an enumeration, a constant being one of a single value. */
export function optionsOf(schema: JsonSchema): readonly unknown[] | undefined {
  return schema.enum ?? ('const' in schema ? [schema.const] : undefined);
}
