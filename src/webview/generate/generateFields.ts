import type { GenerateField } from '../../protocol/generatePage.ts';
import type { Control, Field, NumberControl, Option, TextControl } from '../form/formFields.ts';
import { t } from '../words/l10n.ts';

const onAndOff: readonly Option[] = [
  { label: t('On'), value: true },
  { label: t('Off'), value: false },
];

/** Converts a field from the host into a form field. The host validates its value, so the form accepts any. */
export function formField(field: GenerateField): Field {
  return {
    path: field.path,
    name: field.label,
    help: field.help,
    schema: {},
    controls: controlsOf(field),
    deprecated: false,
    isUnchecked: true,
  };
}

function controlsOf(field: GenerateField): readonly [Control, ...Control[]] {
  switch (field.control) {
    case 'prompt':
      return [text('prompt')];
    case 'text':
      return [text('prose')];
    case 'number':
      return [number(field)];
    case 'switch':
      return [{ kind: 'choice', options: onAndOff }, text('word')];
    case 'choice':
      return choice(field);
  }
}

/** Also offers free text, for a value from a recipe that is not one of the choices. */
function choice(field: GenerateField): readonly [Control, ...Control[]] {
  const { choices = [], open = false } = field;
  if (choices.length === 0) return [text('prose')];
  const isNumeric = choices.every(({ value }) => typeof value === 'number');
  return [{ kind: 'choice', options: choices, open }, isNumeric ? number(field) : text('word')];
}

function text(style: TextControl['style'] & string): TextControl {
  return { kind: 'text', schema: {}, style };
}

function number({ minimum, maximum }: GenerateField): NumberControl {
  return {
    kind: 'number',
    schema: { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) },
  };
}
