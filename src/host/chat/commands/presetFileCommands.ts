import { basename } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import { countParameters } from '../../../conversations/conversation/chatParameters.ts';
import { defaultFormat } from '../../../wire/apis/textFormats.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { joinFacts, joinNames } from '../../kit/display/joinNames.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { plainLine } from '../../kit/display/plainText.ts';
import { type Choice, pickMany } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { loadParameterFilter } from '../../kit/pages/parameterSchema.ts';
import type { ChatServices } from '../chatServices.ts';
import { namePart } from '../parameters/invalidParameters.ts';
import {
  findLikelySecrets,
  formatPresetFile,
  maxFileLength,
  type PresetEntry,
  type PresetFileProblem,
  type PresetSkipReason,
  type ReadPresets,
  readPresetFile,
} from '../parameters/presetFile.ts';
import type { InvalidPart } from '../parameters/store/checkParameters.ts';
import type { ParameterStore, StoredPreset } from '../parameters/store/parameterStore.ts';
import { escapeReportText } from '../transfer/importTally.ts';
import { pickExportTarget } from '../transfer/localFiles.ts';

/** The maximum number of listed locations of possible credentials. */
const maxListedSecrets = 8;

/** The maximum length of a name in a report, in UTF-16 units. */
const maxShownLength = 200;

type ImportableEntry = Extract<PresetEntry, { readonly kind: 'new' | 'replaces' }>;

/** Writes the chosen presets to a file. Presets with possible credentials are included only after a confirmation. */
export async function exportPresets({ loadParameterStore }: ChatServices): Promise<void> {
  const { presets } = await loadParameterStore();
  const rows = presets.map((preset) => ({ ...createPresetChoice(preset), isPicked: true, preset }));
  const chosen = await pickMany(rows, {
    title: vscode.l10n.t('Export Presets'),
    placeHolder: vscode.l10n.t('Choose the presets to export'),
  });
  const exported = chosen && (await confirmSecrets(chosen.map(({ preset }) => preset)));
  if (!exported || exported.length === 0) return;
  const title = vscode.l10n.t('Export Presets To');
  const target = await pickExportTarget(title, `${vscode.l10n.t('Presets')}.json`, { JSON: ['json'] });
  if (!target) return;
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(formatPresetFile(exported)));
    showStatusMessage(vscode.l10n.t('Presets exported: {0}', exported.length));
  } catch (error) {
    const message = vscode.l10n.t('“{0}” was not written: {1}', basename(target.path), errorMessage(error));
    void notify('error', message);
  }
}

/**
 * Lets the user decide whether to export presets with possible credentials.
 *
 * @returns the presets to export; undefined if the user cancels
 */
async function confirmSecrets(
  presets: readonly StoredPreset[],
): Promise<readonly StoredPreset[] | undefined> {
  const suspects = presets.flatMap((preset) => {
    const paths = findLikelySecrets(preset.parameters);
    return paths.length > 0 ? [{ preset, paths }] : [];
  });
  if (suspects.length === 0) return presets;
  const omit = vscode.l10n.t('Export Without Them');
  const anyway = vscode.l10n.t('Export Anyway');
  const locations = suspects.flatMap(({ preset, paths }) => paths.map((path) => `${preset.name}: ${path}`));
  const more = locations.length - maxListedSecrets;
  const detail = [
    ...locations.slice(0, maxListedSecrets),
    ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : []),
    '',
    vscode.l10n.t('Anyone who receives the file can read them.'),
  ].join('\n');
  const question = vscode.l10n.t('Some presets may contain credentials. Export them?');
  const chosen = await confirm(question, detail, omit, anyway);
  if (chosen === undefined) return undefined;
  return chosen === anyway
    ? presets
    : presets.filter((preset) => suspects.every((suspect) => suspect.preset !== preset));
}

/** Imports presets from a file. The user has to confirm the replacement of different presets with the same names. */
export async function importPresets(services: ChatServices): Promise<void> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import Presets'),
      openLabel: vscode.l10n.t('Import'),
      filters: { JSON: ['json'] },
    })) ?? [];
  if (!file) return;
  const store = await services.loadParameterStore();
  const entries = await readEntries(file, store);
  if (!entries) return;
  const chosen = await pickEntries(entries);
  if (!chosen) return;
  const outcomes = await savePresets(store, entries, chosen);
  const show = vscode.l10n.t('Show Report');
  const isClean = outcomes.every(({ outcome, invalid }) => outcome !== 'skipped' && invalid.length === 0);
  if ((await notify(isClean ? 'info' : 'warning', summarizeImport(outcomes), show)) === show)
    await showDocument(
      services.documents.add(createImportReport(outcomes), `${vscode.l10n.t('Imported Presets')}.md`),
    );
}

/** Reads the presets of a file. If the file cannot be read, notifies the user and returns undefined. */
async function readEntries(
  file: vscode.Uri,
  store: ParameterStore,
): Promise<readonly PresetEntry[] | undefined> {
  const result = await readPresets(file, store).catch((error: unknown) => ({
    problem: { kind: 'unreadable', detail: errorMessage(error) } as const,
  }));
  if (!result.problem) return result.entries;
  const message = vscode.l10n.t(
    'Nothing was imported from “{0}”: {1}',
    basename(file.path),
    describeProblem(result.problem),
  );
  void notify('error', message);
  return undefined;
}

async function readPresets(file: vscode.Uri, store: ParameterStore): Promise<ReadPresets> {
  const { size, type } = await vscode.workspace.fs.stat(file);
  // A device has no size and may never end. Each UTF-16 unit has at most 3 bytes in UTF-8.
  if ((type & vscode.FileType.File) === 0) return { problem: { kind: 'other-file' } };
  if (size > 3 * maxFileLength) return { problem: { kind: 'too-long' } };
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  return readPresetFile(text, store.presets, await loadParameterFilter());
}

function describeProblem(
  problem: PresetFileProblem | { readonly kind: 'unreadable'; readonly detail: string },
): string {
  switch (problem.kind) {
    case 'too-long':
      return vscode.l10n.t('a preset file can be at most {0} MB.', maxFileLength / 1024 / 1024);
    case 'not-json':
      return vscode.l10n.t('it is not JSON: {0}', problem.detail);
    case 'other-file':
      return vscode.l10n.t('it has no presets. Choose a file that Export Presets… wrote.');
    case 'newer':
      return vscode.l10n.t(
        'it was written by a later version of Model Gateway (file version {0}).',
        problem.version,
      );
    case 'unreadable':
      return problem.detail;
  }
}

/** Lets the user choose the presets to import. @returns undefined if the user cancels */
async function pickEntries(entries: readonly PresetEntry[]): Promise<readonly ImportableEntry[] | undefined> {
  const importable = entries.filter(
    (entry): entry is ImportableEntry => entry.kind === 'new' || entry.kind === 'replaces',
  );
  if (importable.length === 0) return [];
  const rows = importable.map((entry) => ({
    ...createPresetChoice(entry),
    ...(entry.kind === 'replaces' && { detail: vscode.l10n.t('Replaces your preset with the same name') }),
    isPicked: true,
    entry,
  }));
  const chosen = await pickMany(rows, {
    title: vscode.l10n.t('Import Presets'),
    placeHolder: vscode.l10n.t('Choose the presets to import'),
  });
  const chosenEntries = chosen?.map(({ entry }) => entry);
  const replaced = chosenEntries?.filter(({ kind }) => kind === 'replaces') ?? [];
  if (!chosenEntries || replaced.length === 0) return chosenEntries;
  const replace = vscode.l10n.t('Replace');
  const keepMine = vscode.l10n.t('Keep Mine');
  const names = replaced.map(({ name }) => name).join('\n');
  const question =
    replaced.length === 1
      ? vscode.l10n.t('Replace the preset {0}?', replaced[0]?.name ?? '')
      : vscode.l10n.t('Replace {0} presets?', replaced.length);
  const detail = `${names}\n\n${vscode.l10n.t('Their parameters are lost.')}`;
  const button = await confirm(question, detail, replace, keepMine);
  if (button === undefined) return undefined;
  return button === replace ? chosenEntries : chosenEntries.filter(({ kind }) => kind === 'new');
}

async function savePresets(
  store: ParameterStore,
  entries: readonly PresetEntry[],
  chosen: readonly ImportableEntry[],
): Promise<readonly PresetOutcome[]> {
  for (const { name, parameters } of chosen) await store.savePreset({ name, parameters });
  return entries.map((entry): PresetOutcome => {
    const { name } = entry;
    if (entry.kind === 'same') return { name, outcome: 'same', invalid: [] };
    if (entry.kind === 'skipped') return { name, outcome: 'skipped', reason: entry.reason, invalid: [] };
    return chosen.includes(entry)
      ? { name, outcome: entry.kind === 'new' ? 'imported' : 'replaced', invalid: entry.invalid }
      : { name, outcome: 'skipped', reason: 'not-chosen', invalid: [] };
  });
}

function createPresetChoice({ name, parameters }: Pick<StoredPreset, 'name' | 'parameters'>): Choice {
  return {
    label: name,
    description: vscode.l10n.t('{0} set', countParameters(parameters, defaultFormat, '')),
  };
}

/** The outcome for one preset of a file. */
interface PresetOutcome {
  readonly name: string;
  readonly outcome: 'imported' | 'replaced' | 'same' | 'skipped';
  readonly reason?: PresetSkipReason | 'not-chosen';
  /** The invalid parts of the preset, which were not imported. */
  readonly invalid: readonly InvalidPart[];
}

/** Counts the presets for each outcome, such as "Presets: 2 imported, 1 already there." */
function summarizeImport(outcomes: readonly PresetOutcome[]): string {
  const count = (outcome: PresetOutcome['outcome']) =>
    outcomes.filter((each) => each.outcome === outcome).length;
  const counted = [
    vscode.l10n.t('{0} imported', count('imported')),
    ...(count('replaced') > 0 ? [vscode.l10n.t('{0} replaced', count('replaced'))] : []),
    ...(count('same') > 0 ? [vscode.l10n.t('{0} already there', count('same'))] : []),
    ...(count('skipped') > 0 ? [vscode.l10n.t('{0} skipped', count('skipped'))] : []),
  ];
  return vscode.l10n.t('Presets: {0}.', joinFacts(counted));
}

/** Lists the outcome for each preset, as Markdown. */
function createImportReport(outcomes: readonly PresetOutcome[]): string {
  const createSection = (heading: string, outcome: PresetOutcome['outcome']) => {
    const lines = outcomes.filter((each) => each.outcome === outcome).map(formatOutcome);
    return lines.length === 0 ? [] : [`## ${heading}`, lines.join('\n')];
  };
  return [
    `# ${vscode.l10n.t('Preset Import')}`,
    summarizeImport(outcomes),
    ...createSection(vscode.l10n.t('Skipped'), 'skipped'),
    ...createSection(vscode.l10n.t('Imported'), 'imported'),
    ...createSection(vscode.l10n.t('Replaced'), 'replaced'),
    ...createSection(vscode.l10n.t('Already Exists'), 'same'),
  ]
    .join('\n\n')
    .concat('\n');
}

function formatOutcome({ name, reason, invalid }: PresetOutcome): string {
  const line = plainLine(name, maxShownLength);
  const title = line === '' ? vscode.l10n.t('unnamed preset') : `**${escapeReportText(line)}**`;
  const ignored = escapeReportText(plainLine(joinNames(invalid.map(namePart)), maxShownLength));
  const notes = [
    ...(reason === undefined ? [] : [describeSkipReason(reason)]),
    ...(ignored === '' ? [] : [vscode.l10n.t('ignored because not valid: {0}', ignored)]),
  ];
  return notes.length === 0 ? `- ${title}` : `- ${title}: ${notes.join('; ')}`;
}

function describeSkipReason(reason: PresetSkipReason | 'not-chosen'): string {
  switch (reason) {
    case 'no-name':
      return vscode.l10n.t('it has no name');
    case 'long-name':
      return vscode.l10n.t('its name is too long');
    case 'unreadable':
      return vscode.l10n.t('it cannot be read, or is too long');
    case 'no-valid-parameters':
      return vscode.l10n.t('it has no valid parameters');
    case 'duplicate':
      return vscode.l10n.t('an earlier preset in the file has this name');
    case 'limit':
      return vscode.l10n.t('the maximum number of presets is reached');
    case 'not-chosen':
      return vscode.l10n.t('you did not choose it');
  }
}
