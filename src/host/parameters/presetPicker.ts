import * as vscode from 'vscode';
import { type ChatParameters, countSet, isUnset, withOthers } from '../../conversations/chatParameters.ts';
import { textFormats } from '../../wire/apis/textFormats.ts';
import type { ChatSession } from '../chat/chatSession.ts';
import { confirm, notify } from '../display/notify.ts';
import { clipped } from '../display/plainText.ts';
import { askText, type Choice, pick } from '../display/prompts.ts';
import { showStatusMessage } from '../display/statusBar.ts';
import { acceptedParameters } from '../pages/parameterSchema.ts';
import { maxNameLength, maxPresets, type Preset } from './keptParameters.ts';
import { keepOrTell } from './modelDefault.ts';

const maxPromptLength = 80;

interface PresetRow extends Choice {
  readonly preset: Preset;
}

interface ActionRow extends Choice {
  readonly act: (session: ChatSession) => Promise<void>;
}

/** Asks which preset a chat goes on with, or what else to do with presets. */
export async function pickPreset(session: ChatSession): Promise<void> {
  const rows = presetRows(session);
  const isSet = !isUnset(session.parameters.for(session.model));
  if (rows.length === 0 && !isSet) {
    const none = vscode.l10n.t('There is no preset yet. Set parameters first, then save them as a preset.');
    return void (await notify('info', none));
  }
  const save = { icon: 'save', label: vscode.l10n.t('Save as Preset…'), act: savePreset };
  const rename = { icon: 'edit', label: vscode.l10n.t('Rename Preset…'), act: renamePreset };
  const remove = { icon: 'trash', label: vscode.l10n.t('Delete Preset…'), act: deletePreset };
  const actions: ActionRow[] = [...(isSet ? [save] : []), ...(rows.length > 0 ? [rename, remove] : [])];
  const chosen = await pick<PresetRow | ActionRow>([...rows, ...actions], {
    title: vscode.l10n.t('Parameter Presets'),
    placeHolder: vscode.l10n.t('Choose a preset to use in this chat'),
  });
  if (chosen === undefined) return;
  await ('act' in chosen ? chosen.act(session) : applyPreset(session, chosen.preset));
}

async function applyPreset({ parameters }: ChatSession, { name, parameters: preset }: Preset): Promise<void> {
  parameters.choose(await accepted(preset), 'other');
  showStatusMessage(vscode.l10n.t('This chat uses the preset {0}', name));
}

async function savePreset(session: ChatSession): Promise<void> {
  const { parameters, model } = session;
  const { kept } = parameters;
  const name = await askName(vscode.l10n.t('Save as Preset'), '');
  if (name === undefined || !(await mayWrite(session, name))) return;
  const preset = { name, parameters: parameters.for(model) };
  if (await keepOrTell(() => kept.savePreset(preset)))
    showStatusMessage(vscode.l10n.t('Saved the preset {0}', name));
}

async function renamePreset(session: ChatSession): Promise<void> {
  const { kept } = session.parameters;
  const preset = await pickOne(session, vscode.l10n.t('Rename which preset?'));
  const name = preset && (await askName(vscode.l10n.t('Rename Preset'), preset.name));
  if (!preset || name === undefined || name === preset.name || !(await mayWrite(session, name))) return;
  await kept.savePreset({ ...preset, name });
  await kept.removePreset(preset.name);
}

async function deletePreset(session: ChatSession): Promise<void> {
  const preset = await pickOne(session, vscode.l10n.t('Delete which preset?'));
  if (!preset) return;
  const remove = vscode.l10n.t('Delete');
  const question = vscode.l10n.t('Delete the preset {0}?', preset.name);
  const detail = vscode.l10n.t('Chats that use its parameters keep them.');
  if ((await confirm(question, detail, remove)) === remove)
    await session.parameters.kept.removePreset(preset.name);
}

/** Whether a preset may get a name: a new one while there are few, that of another one after a question. */
async function mayWrite({ parameters }: ChatSession, name: string): Promise<boolean> {
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

async function pickOne(session: ChatSession, title: string): Promise<Preset | undefined> {
  return (await pick(presetRows(session), { title }))?.preset;
}

function presetRows({ parameters, format, model = '' }: ChatSession): readonly PresetRow[] {
  return parameters.kept.presets.map((preset) => {
    const [line = ''] = preset.parameters.systemPrompt.trim().split('\n');
    return {
      preset,
      label: preset.name,
      description: vscode.l10n.t('{0} set', countSet(preset.parameters, format, model)),
      ...(line !== '' && { detail: clipped(line, maxPromptLength) }),
    };
  });
}

/** The parameters without fields that a format of this version refuses. */
async function accepted(preset: ChatParameters): Promise<ChatParameters> {
  let checked = preset;
  for (const format of textFormats) {
    const fields = preset.others[format.id];
    if (fields) checked = withOthers(checked, format.id, await acceptedParameters(format, fields));
  }
  return checked;
}
