import * as vscode from 'vscode';
import { sameJson } from '../../../base/json.ts';
import { isUnset } from '../../../conversations/conversation/chatParameters.ts';
import { defaultFormat, textFormat } from '../../../wire/apis/textFormats.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { notify } from '../../kit/display/notify.ts';
import { clip } from '../../kit/display/plainText.ts';
import type { QuestionTarget } from '../session/questionTarget.ts';
import { describeCommonParameters } from './commonParameterWords.ts';
import type { CheckedParameters, InvalidPart } from './store/checkParameters.ts';
import type { StoredPreset } from './store/parameterStore.ts';

/** The maximum number of invalid parts that a warning lists. */
const maxListedParts = 6;

/** The maximum length of the name of a listed parameter, in UTF-16 units. */
const maxNameLength = 60;

/** Warns once per window about invalid parts of a model's default parameters. Offers to save the valid parts. */
export class InvalidDefaults {
  /** The invalid parts that the user was warned about, by model. */
  readonly #notifiedParts = new Map<string, readonly InvalidPart[]>();

  /** Warns about invalid parts of the initial parameters of a chat. */
  async warn({ model, parameters }: QuestionTarget): Promise<void> {
    if (model === undefined || parameters.own !== undefined) return;
    const { store } = parameters;
    const stored = store.readStoredDefault(model);
    if (!stored || stored.invalid.length === 0 || sameJson(this.#notifiedParts.get(model), stored.invalid))
      return;
    this.#notifiedParts.set(model, stored.invalid);
    const save = createButtonLabel(stored, vscode.l10n.t('Remove Default'));
    const message = isUnreadable(stored)
      ? vscode.l10n.t('The default parameters of {0} cannot be read and are ignored.', model)
      : vscode.l10n.t(
          'Some default parameters of {0} are not valid and are ignored: {1}.',
          model,
          joinPartNames(stored.invalid),
        );
    if ((await notify('warning', message, save)) !== save) return;
    await store.setDefault(model, store.getDefaultParameters(model));
    parameters.refresh();
  }
}

/** Warns about invalid parts of a preset, and offers to save the valid parts. */
export async function warnAboutInvalidPreset(
  { parameters }: QuestionTarget,
  preset: StoredPreset,
): Promise<void> {
  if (preset.invalid.length === 0) return;
  const { store } = parameters;
  const { name } = preset;
  const save = createButtonLabel(preset, vscode.l10n.t('Delete Preset'));
  const message = isUnreadable(preset)
    ? vscode.l10n.t('The preset {0} cannot be read.', name)
    : vscode.l10n.t(
        'Some parameters of the preset {0} are not valid and are ignored: {1}.',
        name,
        joinPartNames(preset.invalid),
      );
  if ((await notify('warning', message, save)) !== save) return;
  if (isUnset(preset.parameters)) await store.removePreset(name);
  else await store.savePreset({ name, parameters: preset.parameters });
}

function createButtonLabel({ parameters }: CheckedParameters, remove: string): string {
  return isUnset(parameters) ? remove : vscode.l10n.t('Save Without Them');
}

function isUnreadable({ invalid }: CheckedParameters): boolean {
  return invalid.some(({ kind }) => kind === 'everything');
}

function joinPartNames(invalid: readonly InvalidPart[]): string {
  const names = invalid.slice(0, maxListedParts).map((each) => clip(namePart(each), maxNameLength));
  const more = invalid.length - names.length;
  return joinNames([...names, ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : [])]);
}

/** Returns a short name of an invalid part. */
export function namePart(part: InvalidPart): string {
  switch (part.kind) {
    case 'everything':
      return vscode.l10n.t('everything');
    case 'common':
      return describeCommonParameters(textFormat(defaultFormat))[part.name].title;
    case 'field':
      return vscode.l10n.t('{0} of {1}', part.name, textFormat(part.format).label);
    case 'unknown':
      return part.name;
  }
}
