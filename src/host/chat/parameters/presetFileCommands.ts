import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import { countSet } from '../../../conversations/conversation/chatParameters.ts';
import { defaultFormat } from '../../../wire/apis/textFormats.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { type Choice, pickMany } from '../../kit/display/prompts.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import { parameterCheck } from '../../kit/pages/parameterSchema.ts';
import type { ChatServices } from '../chatServices.ts';
import type { KeptParameters, KeptPreset } from './keptParameters.ts';
import {
  likelySecrets,
  maxFileLength,
  type PresetEntry,
  type PresetFileProblem,
  presetFile,
  readPresetFile,
} from './presetFile.ts';
import { type Done, importReport, importSummary } from './presetReport.ts';

/** So many places of likely credentials are named. */
const maxNamedSecrets = 8;

type Taken = Extract<PresetEntry, { readonly kind: 'new' | 'replaces' }>;

/** Writes presets that the user chooses into a file, without credentials unless the user wants them in it. */
export async function exportPresets({ keptParameters }: ChatServices): Promise<void> {
  const { presets } = await keptParameters();
  const rows = presets.map((preset) => ({ ...presetChoice(preset), isPicked: true, preset }));
  const chosen = await pickMany(rows, {
    title: vscode.l10n.t('Export Presets'),
    placeHolder: vscode.l10n.t('Choose the presets to export'),
  });
  const written = chosen && (await withoutSecrets(chosen.map(({ preset }) => preset)));
  if (!written || written.length === 0) return;
  const target = await askWhere();
  if (!target) return;
  try {
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(presetFile(written)));
    showStatusMessage(vscode.l10n.t('Presets exported: {0}', written.length));
  } catch (error) {
    const words = vscode.l10n.t('“{0}” was not written: {1}', nameOf(target), errorMessage(error));
    void notify('error', words);
  }
}

/** Asks about presets that hold what looks like a credential. @returns undefined when the user cancels */
async function withoutSecrets(presets: readonly KeptPreset[]): Promise<readonly KeptPreset[] | undefined> {
  const suspects = presets.flatMap((preset) => {
    const places = likelySecrets(preset.parameters);
    return places.length > 0 ? [{ preset, places }] : [];
  });
  if (suspects.length === 0) return presets;
  const leaveOut = vscode.l10n.t('Export Without Them');
  const anyway = vscode.l10n.t('Export Anyway');
  const named = suspects.flatMap(({ preset, places }) => places.map((place) => `${preset.name}: ${place}`));
  const more = named.length - maxNamedSecrets;
  const detail = [
    ...named.slice(0, maxNamedSecrets),
    ...(more > 0 ? [vscode.l10n.t('{0} more', more)] : []),
    '',
    vscode.l10n.t('Anyone who gets the file can read it.'),
  ].join('\n');
  const question = vscode.l10n.t('Some presets contain possible credentials. Export them?');
  const chosen = await confirm(question, detail, leaveOut, anyway);
  if (chosen === undefined) return undefined;
  return chosen === anyway
    ? presets
    : presets.filter((preset) => suspects.every((suspect) => suspect.preset !== preset));
}

/** Takes presets out of a file. Those that are there already stay as they are; others of their name are asked about. */
export async function importPresets(services: ChatServices): Promise<void> {
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Import Presets'),
      openLabel: vscode.l10n.t('Import'),
      filters: { JSON: ['json'] },
    })) ?? [];
  if (!file) return;
  const kept = await services.keptParameters();
  const entries = await readEntries(file, kept);
  if (!entries) return;
  const chosen = await chosenEntries(entries);
  if (!chosen) return;
  const done = await keep(kept, entries, chosen);
  const show = vscode.l10n.t('Show Report');
  const isClean = done.every(({ became, unfit }) => became !== 'skipped' && unfit.length === 0);
  if ((await notify(isClean ? 'info' : 'warning', importSummary(done), show)) === show)
    await services.importReports.show(importReport(done), vscode.l10n.t('Imported Presets'));
}

/** @returns undefined where the file holds no presets, which is told */
async function readEntries(
  file: vscode.Uri,
  kept: KeptParameters,
): Promise<readonly PresetEntry[] | undefined> {
  const read = await vscode.workspace.fs.readFile(file).then(
    async (bytes) =>
      bytes.length > 3 * maxFileLength
        ? { problem: { kind: 'too-long' } as const }
        : readPresetFile(new TextDecoder().decode(bytes), kept.presets, await parameterCheck()),
    (error: unknown) => ({ problem: { kind: 'unreadable', detail: errorMessage(error) } as const }),
  );
  if (!read.problem) return read.entries;
  const words = vscode.l10n.t('Nothing was imported from “{0}”: {1}', nameOf(file), sentence(read.problem));
  void notify('error', words);
  return undefined;
}

function sentence(
  problem: PresetFileProblem | { readonly kind: 'unreadable'; readonly detail: string },
): string {
  switch (problem.kind) {
    case 'too-long':
      return vscode.l10n.t('a file of presets has at most {0} MB.', maxFileLength / 1024 / 1024);
    case 'no-json':
      return vscode.l10n.t('it is not JSON: {0}', problem.detail);
    case 'other-file':
      return vscode.l10n.t('it has no presets. Choose a file from Export Presets….');
    case 'newer':
      return vscode.l10n.t(
        'a later version of Model Gateway wrote it (version {0} of the file).',
        problem.version,
      );
    case 'unreadable':
      return problem.detail;
  }
}

/** Asks which of the presets to take; nothing is asked where there is none to take. @returns undefined when the user cancels */
async function chosenEntries(entries: readonly PresetEntry[]): Promise<readonly Taken[] | undefined> {
  const possible = entries.filter(
    (entry): entry is Taken => entry.kind === 'new' || entry.kind === 'replaces',
  );
  if (possible.length === 0) return [];
  const rows = possible.map((entry) => ({
    ...presetChoice(entry),
    ...(entry.kind === 'replaces' && { detail: vscode.l10n.t('Replaces your preset of this name') }),
    isPicked: true,
    entry,
  }));
  const chosen = await pickMany(rows, {
    title: vscode.l10n.t('Import Presets'),
    placeHolder: vscode.l10n.t('Choose the presets to import'),
  });
  const taken = chosen?.map(({ entry }) => entry);
  const replaced = taken?.filter(({ kind }) => kind === 'replaces') ?? [];
  if (!taken || replaced.length === 0) return taken;
  const replace = vscode.l10n.t('Replace');
  const keepMine = vscode.l10n.t('Keep Mine');
  const names = replaced.map(({ name }) => name).join('\n');
  const question =
    replaced.length === 1
      ? vscode.l10n.t('Replace the preset {0}?', replaced[0]?.name ?? '')
      : vscode.l10n.t('Replace {0} presets?', replaced.length);
  const detail = `${names}\n\n${vscode.l10n.t('Their parameters are lost.')}`;
  const answer = await confirm(question, detail, replace, keepMine);
  if (answer === undefined) return undefined;
  return answer === replace ? taken : taken.filter(({ kind }) => kind === 'new');
}

async function keep(
  kept: KeptParameters,
  entries: readonly PresetEntry[],
  chosen: readonly Taken[],
): Promise<readonly Done[]> {
  for (const { name, parameters } of chosen) await kept.savePreset({ name, parameters });
  return entries.map((entry): Done => {
    const { name } = entry;
    if (entry.kind === 'same') return { name, became: 'same', unfit: [] };
    if (entry.kind === 'skipped') return { name, became: 'skipped', why: entry.why, unfit: [] };
    return chosen.includes(entry)
      ? { name, became: entry.kind === 'new' ? 'imported' : 'replaced', unfit: entry.unfit }
      : { name, became: 'skipped', why: 'not-chosen', unfit: [] };
  });
}

async function askWhere(): Promise<vscode.Uri | undefined> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  const file = `${vscode.l10n.t('Presets')}.json`;
  return vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Presets To'),
    saveLabel: vscode.l10n.t('Export'),
    defaultUri: folder ? vscode.Uri.joinPath(folder.uri, file) : vscode.Uri.file(join(homedir(), file)),
    filters: { JSON: ['json'] },
  });
}

function presetChoice({ name, parameters }: Pick<KeptPreset, 'name' | 'parameters'>): Choice {
  return { label: name, description: vscode.l10n.t('{0} set', countSet(parameters, defaultFormat, '')) };
}

function nameOf({ path }: vscode.Uri): string {
  return path.split('/').at(-1) ?? '';
}
