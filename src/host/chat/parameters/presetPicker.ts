import * as vscode from 'vscode';
import { countSet, isUnset } from '../../../conversations/conversation/chatParameters.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { clipped } from '../../kit/display/plainText.ts';
import { askText, type Choice, pick } from '../../kit/display/prompts.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { AskTarget } from '../asking/askTarget.ts';
import type { ChatServices } from '../chatServices.ts';
import { type KeptPreset, maxNameLength, maxPresets } from './keptParameters.ts';
import { keepOrTell } from './modelDefault.ts';
import { exportPresets, importPresets } from './presetFileCommands.ts';
import { tellUnfitPreset } from './unfitParameters.ts';

const maxPromptLength = 80;

interface PresetRow extends Choice {
  readonly preset: KeptPreset;
}

interface ActionRow extends Choice {
  readonly act: (target: AskTarget) => Promise<void>;
}

/** Asks which preset a chat goes on with, or what else to do with presets. */
export async function pickPreset(services: ChatServices, target: AskTarget): Promise<void> {
  const rows = presetRows(target);
  const isSet = !isUnset(target.parameters.for(target.model));
  if (rows.length === 0 && !isSet) {
    const none = vscode.l10n.t('There is no preset yet. Set parameters first, then save them as a preset.');
    const bring = vscode.l10n.t('Import Presets…');
    if ((await notify('info', none, bring)) === bring) await importPresets(services);
    return;
  }
  const save = { icon: 'save', label: vscode.l10n.t('Save as Preset…'), act: savePreset };
  const rename = { icon: 'edit', label: vscode.l10n.t('Rename Preset…'), act: renamePreset };
  const remove = { icon: 'trash', label: vscode.l10n.t('Delete Preset…'), act: deletePreset };
  const take = {
    icon: 'export',
    label: vscode.l10n.t('Export Presets…'),
    act: () => exportPresets(services),
  };
  const bring = {
    icon: 'folder-opened',
    label: vscode.l10n.t('Import Presets…'),
    act: () => importPresets(services),
  };
  const actions: ActionRow[] = [
    ...(isSet ? [save] : []),
    ...(rows.length > 0 ? [rename, remove, take] : []),
    bring,
  ];
  const chosen = await pick<PresetRow | ActionRow>([...rows, ...actions], {
    title: vscode.l10n.t('Parameter Presets'),
    placeHolder:
      rows.length > 0
        ? vscode.l10n.t('Choose a preset to use in this chat')
        : vscode.l10n.t('No preset yet. Save the parameters of this chat as one'),
  });
  if (chosen === undefined) return;
  await ('act' in chosen ? chosen.act(target) : applyPreset(target, chosen.preset));
}

async function applyPreset(target: AskTarget, preset: KeptPreset): Promise<void> {
  if (!isUnset(preset.parameters)) {
    target.parameters.choose(preset.parameters, 'other');
    showStatusMessage(vscode.l10n.t('This chat uses the preset {0}', preset.name));
  }
  await tellUnfitPreset(target, preset);
}

async function savePreset(target: AskTarget): Promise<void> {
  const { parameters, model } = target;
  const { kept } = parameters;
  const name = await askName(vscode.l10n.t('Save as Preset'), '');
  if (name === undefined || !(await mayWrite(target, name))) return;
  const preset = { name, parameters: parameters.for(model) };
  if (await keepOrTell(() => kept.savePreset(preset)))
    showStatusMessage(vscode.l10n.t('Saved the preset {0}', name));
}

async function renamePreset(target: AskTarget): Promise<void> {
  const { kept } = target.parameters;
  const preset = await pickOne(target, vscode.l10n.t('Choose the Preset to Rename'));
  const name = preset && (await askName(vscode.l10n.t('Rename Preset'), preset.name));
  if (!preset || name === undefined || name === preset.name || !(await mayWrite(target, name))) return;
  await kept.savePreset({ name, parameters: preset.parameters });
  await kept.removePreset(preset.name);
}

async function deletePreset(target: AskTarget): Promise<void> {
  const preset = await pickOne(target, vscode.l10n.t('Choose the Preset to Delete'));
  if (!preset) return;
  const remove = vscode.l10n.t('Delete');
  const question = vscode.l10n.t('Delete the preset {0}?', preset.name);
  const detail = vscode.l10n.t('Chats that use its parameters are not changed.');
  if ((await confirm(question, detail, remove)) === remove)
    await target.parameters.kept.removePreset(preset.name);
}

/** Whether a preset may get a name: a new one while there are few, that of another one after a question. */
async function mayWrite({ parameters }: AskTarget, name: string): Promise<boolean> {
  const { presets } = parameters.kept;
  if (presets.some((preset) => preset.name === name)) {
    const replace = vscode.l10n.t('Replace');
    const question = vscode.l10n.t('Replace the preset {0}?', name);
    return (await confirm(question, vscode.l10n.t('Its parameters are lost.'), replace)) === replace;
  }
  if (presets.length < maxPresets) return true;
  const full = vscode.l10n.t('There are {0} presets already. Delete one first.', maxPresets);
  void notify('error', full);
  return false;
}

async function askName(title: string, value: string): Promise<string | undefined> {
  const typed = await askText({
    title,
    prompt: vscode.l10n.t('Its name'),
    value,
    problem(text) {
      if (text.trim() === '') return vscode.l10n.t('A preset needs a name.');
      return text.trim().length > maxNameLength
        ? vscode.l10n.t('At most {0} characters.', maxNameLength)
        : undefined;
    },
  });
  return typed?.trim();
}

async function pickOne(target: AskTarget, title: string): Promise<KeptPreset | undefined> {
  return (await pick(presetRows(target), { title }))?.preset;
}

function presetRows({ parameters, format, model = '' }: AskTarget): readonly PresetRow[] {
  return parameters.kept.presets.map((preset) => {
    const [line = ''] = preset.parameters.systemPrompt.trim().split('\n');
    return {
      preset,
      icon: 'bookmark',
      label: preset.name,
      description: isUnset(preset.parameters)
        ? vscode.l10n.t('No Matches')
        : vscode.l10n.t('{0} set', countSet(preset.parameters, format, model)),
      ...(line !== '' && { detail: clipped(line, maxPromptLength) }),
    };
  });
}
