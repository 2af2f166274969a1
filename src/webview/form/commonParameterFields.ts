import type { JsonSchema } from '../../base/jsonSchema.ts';
import { t } from '../words/l10n.ts';
import { type Control, createFields, type Field, type Option } from './formFields.ts';

/** Labels of some values of the common parameters. Other values are labelled with their capitalized names. */
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

/** Creates the fields of the common parameters, with display names. The path is `common` and the parameter's name. */
export function createCommonFields(schema: JsonSchema): readonly Field[] {
  return createFields(schema, ['common']).map((field) => ({
    ...field,
    name: field.schema.title ?? field.name,
    controls: chooseControls(field),
  }));
}

/** Returns the name of a common parameter in the host's messages. */
export function getCommonName({ path }: Field): string {
  return path.at(-1) ?? '';
}

/**
 * Whether a field is currently in the form. The response schema requires the response format JSON Schema.
 */
export function isFieldShown(field: Field, values: Readonly<Record<string, unknown>>): boolean {
  return getCommonName(field) !== 'responseSchema' || values.responseFormat === 'json_schema';
}

function chooseControls(field: Field): readonly [Control, ...Control[]] {
  if (getCommonName(field) === 'systemPrompt')
    return [{ kind: 'text', schema: field.schema, style: 'prose' }];
  const [first, ...others] = field.controls;
  // A value with a control of its own does not need an additional JSON control.
  return [nameOptions(first), ...others.filter(({ kind }) => kind !== 'json')];
}

function nameOptions(control: Control): Control {
  return control.kind === 'choice' ? { ...control, options: control.options.map(nameOption) } : control;
}

function nameOption({ label, value }: Option): Option {
  const name = Object.hasOwn(optionNames, label) ? optionNames[label] : undefined;
  return { label: name ?? label.charAt(0).toUpperCase() + label.slice(1), value };
}
