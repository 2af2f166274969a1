import * as z from 'zod';
import { isObject, type JsonObject } from '../../base/json.ts';
import { upstreamKinds } from '../upstreams/kinds/upstreamKinds.ts';
import { gatewayConfig, upstream, upstreamSchema } from './configSchema.ts';

/** The JSON schema of the configuration file, by which editors complete and check it. */
export function configJsonSchema(): JsonObject {
  const schema = z.toJSONSchema(gatewayConfig, {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      if (Object.is(zodSchema, upstream)) Object.assign(jsonSchema, { anyOf: upstreamKinds.map(kindSchema) });
    },
  });
  return {
    ...schema,
    title: 'Configuration of the local model gateway',
    // For the editor of VS Code: the gateway takes both.
    allowComments: true,
    allowTrailingCommas: true,
  };
}

function kindSchema(kind: (typeof upstreamKinds)[number]): JsonObject {
  const { $schema, ...schema } = z.toJSONSchema(upstreamSchema(kind), {
    io: 'input',
    target: 'draft-7',
    unrepresentable: 'any',
  });
  const { kind: told } = schema.properties ?? {};
  const { enum: names, ...rest } = isObject(told) ? told : {};
  return { ...schema, properties: { ...schema.properties, kind: { ...rest, const: kind.kind } } };
}

/** The members that an object at a path of the file may have. */
export function knownMembers(
  path: readonly PropertyKey[],
  value: unknown,
  schema: JsonObject = configJsonSchema(),
): readonly string[] {
  const [step, ...rest] = path;
  const fitting = branches(schema, value);
  if (step === undefined) return fitting.flatMap(({ properties }) => Object.keys(properties ?? {}));
  const member = isObject(value) || Array.isArray(value) ? Reflect.get(value, step) : undefined;
  return fitting.flatMap(({ properties, items, additionalProperties }) => {
    const inner =
      typeof step === 'number'
        ? items
        : (isObject(properties) && properties[String(step)]) || additionalProperties;
    return isObject(inner) ? knownMembers(rest, member, inner) : [];
  });
}

/** Of alternatives, those for the kind that the value names; all where it names none that there is. */
function branches(schema: JsonObject, value: unknown): readonly JsonObject[] {
  const alternatives = Array.isArray(schema.anyOf) ? schema.anyOf.filter(isObject) : [];
  if (alternatives.length === 0) return [schema];
  const named = alternatives.filter(
    ({ properties }) =>
      isObject(value) &&
      isObject(properties) &&
      isObject(properties.kind) &&
      properties.kind.const === value.kind,
  );
  return named.length > 0 ? named : alternatives;
}
