import * as vscode from 'vscode';
import { countParameters, isUnset } from '../../../conversations/conversation/chatParameters.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { clip } from '../../kit/display/plainText.ts';
import { type Choice, pick, requestText } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { warnAboutInvalidPreset } from '../parameters/invalidParameters.ts';
import { saveOrNotify } from '../parameters/modelDefault.ts';
import { maxPresetNameLength, maxPresets, type StoredPreset } from '../parameters/store/parameterStore.ts';
import type { QuestionTarget } from '../session/questionTarget.ts';
import { exportPresets, importPresets } from './presetFileCommands.ts';
import { createPageCommand, resolveActiveChat } from './resolveChats.ts';

/** The maximum length of a preset's system prompt in a list, in UTF-16 units. */
const maxShownPromptLength = 80;

interface PresetRow extends Choice {
  readonly preset: StoredPreset;
}

interface ActionRow extends Choice {
  readonly act: (target: QuestionTarget) => Promise<void>;
}

async function choosePreset(services: ChatServices): Promise<void> {
  const chat = await resolveActiveChat(services);
  if (chat) await pickPreset(services, chat.session.target);
}

/** Lets the user apply a preset to a chat, or choose another action on presets. */
async function pickPreset(services: ChatServices, target: QuestionTarget): Promise<void> {
  const rows = createPresetRows(target);
  const isSet = !isUnset(target.parameters.getForModel(target.model));
  if (rows.length === 0 && !isSet) {
    const message = vscode.l10n.t(
      'There is no preset yet. Set parameters first, then save them as a preset.',
    );
    const importButton = vscode.l10n.t('Import Presets…');
    if ((await notify('info', message, importButton)) === importButton) await importPresets(services);
    return;
  }
  const save = { icon: 'save', label: vscode.l10n.t('Save as Preset…'), act: savePreset };
  const rename = { icon: 'edit', label: vscode.l10n.t('Rename Preset…'), act: renamePreset };
  const remove = { icon: 'trash', label: vscode.l10n.t('Delete Preset…'), act: deletePreset };
  const exportRow = {
    icon: 'export',
    label: vscode.l10n.t('Export Presets…'),
    act: () => exportPresets(services),
  };
  const importRow = {
    icon: 'folder-opened',
    label: vscode.l10n.t('Import Presets…'),
    act: () => importPresets(services),
  };
  const actions: ActionRow[] = [
    ...(isSet ? [save] : []),
    ...(rows.length > 0 ? [rename, remove, exportRow] : []),
    importRow,
  ];
  const chosen = await pick<PresetRow | ActionRow>([...rows, ...actions], {
    title: vscode.l10n.t('Parameter Presets'),
    placeHolder:
      rows.length > 0
        ? vscode.l10n.t('Choose a preset to use in this chat')
        : vscode.l10n.t('No presets yet. Save the parameters of this chat as a preset'),
  });
  if (chosen === undefined) return;
  await ('act' in chosen ? chosen.act(target) : applyPreset(target, chosen.preset));
}

async function applyPreset(target: QuestionTarget, preset: StoredPreset): Promise<void> {
  if (!isUnset(preset.parameters)) {
    target.parameters.choose(preset.parameters, 'other');
    showStatusMessage(vscode.l10n.t('This chat uses the preset {0}', preset.name));
  }
  await warnAboutInvalidPreset(target, preset);
}

async function savePreset(target: QuestionTarget): Promise<void> {
  const { parameters, model } = target;
  const { store } = parameters;
  const name = await promptForName(vscode.l10n.t('Save as Preset'), '');
  if (name === undefined || !(await mayWrite(target, name))) return;
  const preset = { name, parameters: parameters.getForModel(model) };
  if (await saveOrNotify(() => store.savePreset(preset)))
    showStatusMessage(vscode.l10n.t('Saved the preset {0}', name));
}

async function renamePreset(target: QuestionTarget): Promise<void> {
  const { store } = target.parameters;
  const preset = await pickStoredPreset(target, vscode.l10n.t('Choose the Preset to Rename'));
  const name = preset && (await promptForName(vscode.l10n.t('Rename Preset'), preset.name));
  if (!preset || name === undefined || name === preset.name || !(await mayWrite(target, name, preset.name)))
    return;
  await store.renamePreset(preset.name, name);
}

async function deletePreset(target: QuestionTarget): Promise<void> {
  const preset = await pickStoredPreset(target, vscode.l10n.t('Choose the Preset to Delete'));
  if (!preset) return;
  const remove = vscode.l10n.t('Delete');
  const question = vscode.l10n.t('Delete the preset {0}?', preset.name);
  const detail = vscode.l10n.t('Chats that use its parameters are not changed.');
  if ((await confirm(question, detail, remove)) === remove)
    await target.parameters.store.removePreset(preset.name);
}

/**
 * Whether a preset may be saved under a name. The user has to confirm the replacement of an existing preset, and is
 * notified if the maximum number of presets is reached.
 *
 * @param replaced the current name of the preset if it is being renamed
 */
async function mayWrite({ parameters }: QuestionTarget, name: string, replaced?: string): Promise<boolean> {
  const presets = parameters.store.presets.filter((preset) => preset.name !== replaced);
  if (presets.some((preset) => preset.name === name)) {
    const replace = vscode.l10n.t('Replace');
    const question = vscode.l10n.t('Replace the preset {0}?', name);
    return (await confirm(question, vscode.l10n.t('Its parameters will be lost.'), replace)) === replace;
  }
  if (presets.length < maxPresets) return true;
  const message = vscode.l10n.t('There are {0} presets already. Delete one first.', maxPresets);
  void notify('error', message);
  return false;
}

async function promptForName(title: string, value: string): Promise<string | undefined> {
  const typed = await requestText({
    title,
    prompt: vscode.l10n.t('Preset name'),
    value,
    problem(text) {
      if (text.trim() === '') return vscode.l10n.t('A preset needs a name.');
      return text.trim().length > maxPresetNameLength
        ? vscode.l10n.t('At most {0} characters.', maxPresetNameLength)
        : undefined;
    },
  });
  return typed?.trim();
}

async function pickStoredPreset(target: QuestionTarget, title: string): Promise<StoredPreset | undefined> {
  return (await pick(createPresetRows(target), { title }))?.preset;
}

function createPresetRows({ parameters, format, model = '' }: QuestionTarget): readonly PresetRow[] {
  return parameters.store.presets.map((preset) => {
    const [line = ''] = preset.parameters.systemPrompt.trim().split('\n');
    return {
      preset,
      icon: 'bookmark',
      label: preset.name,
      description: isUnset(preset.parameters)
        ? vscode.l10n.t('No valid parameters')
        : vscode.l10n.t('{0} set', countParameters(preset.parameters, format, model)),
      ...(line !== '' && { detail: clip(line, maxShownPromptLength) }),
    };
  });
}

async function editSchema(services: ChatServices): Promise<void> {
  const chat = await resolveActiveChat(services);
  if (chat) await services.schemaFiles.open(chat.session);
}

/** The commands of a chat's parameters by their ids. */
export const parameterCommands = {
  'chat.editSystemPrompt': createPageCommand('edit-system-prompt'),
  'chat.parameterPresets': choosePreset,
  'chat.editResponseSchema': editSchema,
} satisfies CommandTable<ChatServices>;
