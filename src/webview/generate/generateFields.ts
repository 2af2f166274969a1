import type { GenerateField } from '../../protocol/generatePage.ts';
import type { Control, Field, NumberControl, Option, TextControl } from '../form/formFields.ts';
import { t } from '../words/l10n.ts';

const onAndOff: readonly Option[] = [
  { label: t('On'), value: true },
  { label: t('Off'), value: false },
];

/** Converts a field from the host into a form field. The host validates its value, so the form accepts any value. */
export function createFormField(field: GenerateField): Field {
  return {
    path: field.path,
    name: field.label,
    help: field.help,
    schema: {},
    controls: chooseControls(field),
    isDeprecated: false,
    isUnchecked: true,
  };
}

function chooseControls(field: GenerateField): readonly [Control, ...Control[]] {
  switch (field.control) {
    case 'prompt':
      return [createTextControl('prompt')];
    case 'text':
      return [createTextControl('prose')];
    case 'number':
      return [createNumberControl(field)];
    case 'switch':
      return [{ kind: 'choice', options: onAndOff }, createTextControl('word')];
    case 'choice':
      return createChoice(field);
  }
}

/** Creates choices, and a text box or number box for a value from a recipe that is not one of them. */
function createChoice(field: GenerateField): readonly [Control, ...Control[]] {
  const { choices = [], allowsOther = false } = field;
  if (choices.length === 0) return [createTextControl('prose')];
  const isNumeric = choices.every(({ value }) => typeof value === 'number');
  return [
    { kind: 'choice', options: choices, allowsOther },
    isNumeric ? createNumberControl(field) : createTextControl('word'),
  ];
}

function createTextControl(style: TextControl['style'] & string): TextControl {
  return { kind: 'text', schema: {}, style };
}

function createNumberControl({ minimum, maximum }: GenerateField): NumberControl {
  return {
    kind: 'number',
    schema: { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) },
  };
}
