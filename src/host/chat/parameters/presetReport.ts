import * as vscode from 'vscode';
import { factLine, listed } from '../../kit/display/listed.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import type { Unfit } from './checkedParameters.ts';
import type { SkippedWhy } from './presetFile.ts';
import { nameOfUnfit } from './unfitParameters.ts';

const maxLength = 200;

/** What became of one preset of a file. */
export interface Done {
  readonly name: string;
  readonly became: 'imported' | 'replaced' | 'same' | 'skipped';
  readonly why?: SkippedWhy | 'not-chosen';
  /** What of it no request may hold, and was left out. */
  readonly unfit: readonly Unfit[];
}

/** Such as "Presets: 2 imported, 1 already there." */
export function importSummary(done: readonly Done[]): string {
  const count = (became: Done['became']) => done.filter((each) => each.became === became).length;
  const counted = [
    vscode.l10n.t('{0} imported', count('imported')),
    ...(count('replaced') > 0 ? [vscode.l10n.t('{0} replaced', count('replaced'))] : []),
    ...(count('same') > 0 ? [vscode.l10n.t('{0} already there', count('same'))] : []),
    ...(count('skipped') > 0 ? [vscode.l10n.t('{0} skipped', count('skipped'))] : []),
  ];
  return vscode.l10n.t('Presets: {0}.', factLine(counted));
}

/** What became of each preset, as Markdown. */
export function importReport(done: readonly Done[]): string {
  const section = (heading: string, became: Done['became']) => {
    const lines = done.filter((each) => each.became === became).map(lineOf);
    return lines.length === 0 ? [] : [`## ${heading}`, lines.join('\n')];
  };
  return [
    `# ${vscode.l10n.t('Import of Presets')}`,
    importSummary(done),
    ...section(vscode.l10n.t('Skipped'), 'skipped'),
    ...section(vscode.l10n.t('Imported'), 'imported'),
    ...section(vscode.l10n.t('Replaced'), 'replaced'),
    ...section(vscode.l10n.t('Already Exists'), 'same'),
  ]
    .join('\n\n')
    .concat('\n');
}

function lineOf({ name, why, unfit }: Done): string {
  const shown = plainLine(name, maxLength);
  const named = shown === '' ? vscode.l10n.t('without a name') : `**${escaped(shown)}**`;
  const left = listed(unfit.map(nameOfUnfit));
  const notes = [
    ...(why === undefined ? [] : [whyWords(why)]),
    ...(left === ''
      ? []
      : [vscode.l10n.t('left out, because it does not fit: {0}', escaped(plainLine(left, maxLength)))]),
  ];
  return notes.length === 0 ? `- ${named}` : `- ${named}: ${notes.join('; ')}`;
}

function whyWords(why: SkippedWhy | 'not-chosen'): string {
  switch (why) {
    case 'no-name':
      return vscode.l10n.t('it has no name');
    case 'long-name':
      return vscode.l10n.t('its name is too long');
    case 'unreadable':
      return vscode.l10n.t('it cannot be read, or is too long');
    case 'nothing-fits':
      return vscode.l10n.t('no part of it fits a request');
    case 'twice':
      return vscode.l10n.t('the file has an earlier preset of this name');
    case 'full':
      return vscode.l10n.t('the maximum number of presets is reached');
    case 'not-chosen':
      return vscode.l10n.t('you did not choose it');
  }
}

/** Words of others, in which nothing is Markdown or HTML. */
function escaped(line: string): string {
  return line.replaceAll(/[\\[\]<>`*_&#|~!]/g, '\\$&');
}
