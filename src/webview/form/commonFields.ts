import type { JsonSchema } from '../../base/jsonSchema.ts';
import { t } from '../words/l10n.ts';
import { type Control, type Field, fieldsOf, type Option } from './fields.ts';

/** What some values of the common parameters are called. Others begin with a capital. */
const optionNames: Readonly<Record<string, string>> = {
  none: t('None'),
  minimal: t('Minimal'),
  low: t('Low'),
  medium: t('Medium'),
  high: t('High'),
  text: t('Text'),
  json: 'JSON',
  json_schema: 'JSON Schema',
};

/** The fields of the common parameters, with names for people. The path is `common` and the parameter's name. */
export function commonFieldsOf(schema: JsonSchema): readonly Field[] {
  return fieldsOf(schema, ['common']).map((field) => ({
    ...field,
    name: field.schema.title ?? field.name,
    controls: controlsOf(field),
  }));
}

/** The name of a common parameter in the host's messages. */
export function commonNameOf({ path }: Field): string {
  return path.at(-1) ?? '';
}

/** Whether a field stands in the form now: the schema of the answer only where it is asked for. */
export function isShown(field: Field, values: Readonly<Record<string, unknown>>): boolean {
  return commonNameOf(field) !== 'responseSchema' || values.responseFormat === 'json_schema';
}

function controlsOf(field: Field): readonly [Control, ...Control[]] {
  if (commonNameOf(field) === 'systemPrompt') return [{ kind: 'text', schema: field.schema, style: 'prose' }];
  const [first, ...others] = field.controls;
  // What is simple enough for a control of its own needs no JSON beside it.
  return [named(first), ...others.filter(({ kind }) => kind !== 'json')];
}

function named(control: Control): Control {
  return control.kind === 'choice' ? { ...control, options: control.options.map(namedOption) } : control;
}

function namedOption({ label, value }: Option): Option {
  const name = Object.hasOwn(optionNames, label) ? optionNames[label] : undefined;
  return { label: name ?? label.charAt(0).toUpperCase() + label.slice(1), value };
}
