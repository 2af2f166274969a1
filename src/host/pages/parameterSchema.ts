import * as z from 'zod';
import type { TextFormat } from '../../wire/apis/textFormats.ts';

type Values = Readonly<Record<string, unknown>>;

/** What can be set in a format beside the conversation, as JSON Schema. */
export async function parameterSchema(format: TextFormat): Promise<object> {
  const schema = z.toJSONSchema(await parameters(format), { io: 'input', unrepresentable: 'any' });
  return { ...schema, properties: withoutOwn(format, schema.properties ?? {}) };
}

/** The values that may be sent: those the schema accepts, and fields it does not know. Never throws. */
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
