import * as z from 'zod';
import type { TextFormat } from '../../wire/apis/textFormats.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema of a format's parameters.
 *
 * @param translated translates the English help of a field
 */
export async function parameterSchema(
  format: TextFormat,
  translated: (english: string) => string,
): Promise<object> {
  const schema = z.toJSONSchema(await parameters(format), { io: 'input', unrepresentable: 'any' });
  const text = JSON.stringify({ ...schema, properties: withoutOwn(format, schema.properties ?? {}) });
  // A member that is itself called so is an object.
  return JSON.parse(text, (name, value: unknown) =>
    name === 'description' && typeof value === 'string' ? translated(value) : value,
  ) as object;
}

/** Returns the values that may be sent: those that the schema accepts, and unknown fields. Never rejects. */
export async function acceptedParameters(format: TextFormat, values: Values): Promise<Values> {
  const given = withoutOwn(format, values);
  const checked = (await parameters(format)).safeParse(given);
  if (checked.success) return checked.data;
  const wrong = new Set(checked.error.issues.map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !wrong.has(name)));
}

async function parameters(format: TextFormat) {
  return z.looseObject((await format.requestSchema()).shape).partial();
}

function withoutOwn({ ownFields }: TextFormat, fields: Values): Values {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !ownFields.includes(name)));
}
