import * as vscode from 'vscode';
import { sameJson } from '../../../base/json.ts';
import { isUnset } from '../../../conversations/conversation/chatParameters.ts';
import { defaultFormat, textFormat } from '../../../wire/apis/textFormats.ts';
import { listed } from '../../kit/display/listed.ts';
import { notify } from '../../kit/display/notify.ts';
import { clipped } from '../../kit/display/plainText.ts';
import type { AskTarget } from '../asking/askTarget.ts';
import type { CheckedParameters, Unfit } from './checkedParameters.ts';
import { commonWords } from './commonWords.ts';
import type { KeptPreset } from './keptParameters.ts';

/** How many parameters are named at most, and the longest of their names, in UTF-16 units. */
const maxNamed = 6;
const maxNameLength = 60;

/** Tells once in a window what of a model's default does not fit, and offers to save the rest. */
export class UnfitDefaults {
  readonly #told = new Map<string, readonly Unfit[]>();

  /** Tells it of the default that a chat begins with, if there is anything to tell. */
  async tell({ model, parameters }: AskTarget): Promise<void> {
    if (model === undefined || parameters.chosen !== undefined) return;
    const { kept } = parameters;
    const read = kept.readDefault(model);
    if (!read || read.unfit.length === 0 || sameJson(this.#told.get(model), read.unfit)) return;
    this.#told.set(model, read.unfit);
    const save = saveButton(read, vscode.l10n.t('Remove Default'));
    const words = isUnreadable(read)
      ? vscode.l10n.t('The default parameters of {0} cannot be read and are left out.', model)
      : vscode.l10n.t(
          'Some default parameters of {0} do not fit and are left out: {1}.',
          model,
          namesOf(read.unfit),
        );
    if ((await notify('warning', words, save)) !== save) return;
    await kept.setDefault(model, kept.defaultOf(model));
    parameters.refresh();
  }
}

/** Tells what of a preset does not fit, if anything, and offers to save the rest. */
export async function tellUnfitPreset({ parameters }: AskTarget, preset: KeptPreset): Promise<void> {
  if (preset.unfit.length === 0) return;
  const { kept } = parameters;
  const { name } = preset;
  const save = saveButton(preset, vscode.l10n.t('Delete Preset'));
  const words = isUnreadable(preset)
    ? vscode.l10n.t('The preset {0} cannot be read.', name)
    : vscode.l10n.t(
        'Some parameters of the preset {0} do not fit and are left out: {1}.',
        name,
        namesOf(preset.unfit),
      );
  if ((await notify('warning', words, save)) !== save) return;
  if (isUnset(preset.parameters)) await kept.removePreset(name);
  else await kept.savePreset({ name, parameters: preset.parameters });
}

function saveButton({ parameters }: CheckedParameters, remove: string): string {
  return isUnset(parameters) ? remove : vscode.l10n.t('Save Without Them');
}

function isUnreadable({ unfit }: CheckedParameters): boolean {
  return unfit.some(({ kind }) => kind === 'everything');
}

function namesOf(unfit: readonly Unfit[]): string {
  const names = unfit.slice(0, maxNamed).map((each) => clipped(nameOfUnfit(each), maxNameLength));
  const more = unfit.length - names.length;
  return listed([...names, ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : [])]);
}

/** What does not fit, in a few words. */
export function nameOfUnfit(unfit: Unfit): string {
  switch (unfit.kind) {
    case 'everything':
      return vscode.l10n.t('everything');
    case 'common':
      return commonWords(textFormat(defaultFormat))[unfit.name].title;
    case 'field':
      return vscode.l10n.t('{0} of {1}', unfit.name, textFormat(unfit.format).label);
    case 'unknown':
      return unfit.name;
  }
}
