import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import { fileExists, showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { type Choice, pick, requestText } from '../../kit/display/quickInput.ts';
import { isLocalWindow } from '../../kit/localWindow.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { isBuiltIn } from '../prompts/builtInPrompts.ts';
import { createExamplePrompt } from '../prompts/examplePrompt.ts';
import { promptSuffix } from '../prompts/promptFile.ts';
import {
  type FoundPrompt,
  hasUntrustedPrompts,
  readFileName,
  readPromptName,
  workspacePromptsFolder,
} from '../prompts/promptList.ts';
import { describePromptProblem } from '../prompts/promptWords.ts';
import { runPrompt } from '../prompts/runPrompt.ts';

const maxNameLength = 60;

interface PromptRow extends Choice {
  readonly act: () => Promise<unknown>;
}

/** Lets the user choose a prompt for the message box of the last active chat, otherwise of a new chat. */
async function runChosenPrompt(services: ChatServices): Promise<void> {
  // The list opens before the prompt files are read. Otherwise the chat would receive keys pressed in the meantime.
  const chosen = await pick(createPromptRows(services), {
    title: vscode.l10n.t('Run Prompt'),
    placeHolder: vscode.l10n.t('Choose a prompt to insert into the message box'),
  });
  await chosen?.act();
}

async function createPromptRows(services: ChatServices): Promise<readonly PromptRow[]> {
  const { prompts: library, chats } = services;
  const openChat = async () => chats.lastActive ?? chats.open({});
  const prompts = await library.find();
  const rows: PromptRow[] = prompts.map((prompt) => ({
    ...createPromptChoice(prompt),
    act: () => runPrompt(library, prompt, openChat),
  }));
  if (await hasUntrustedPrompts()) rows.push(createTrustRow());
  rows.push({
    icon: 'add',
    label: vscode.l10n.t('New Prompt File…'),
    act: () => createPromptFile(services),
  });
  rows.push({
    icon: 'folder-opened',
    label: vscode.l10n.t('Open Prompts Folder…'),
    act: () => openPromptsFolder(services),
  });
  return rows;
}

function createPromptChoice(found: FoundPrompt): Choice {
  const { uri, folder, prompt, problem } = found;
  return {
    icon: problem ? 'warning' : 'comment',
    label: readPromptName(found),
    description: isBuiltIn(found) ? vscode.l10n.t('Built-in') : describeOrigin(uri, folder),
    detail: problem ? describePromptProblem(problem) : (prompt?.description ?? ''),
  };
}

function describeOrigin(uri: vscode.Uri, folder: string | undefined): string {
  return folder === undefined ? vscode.l10n.t('Yours') : `${folder}/${readFileName(uri)}`;
}

function createTrustRow(): PromptRow {
  return {
    icon: 'shield',
    label: vscode.l10n.t('Manage Workspace Trust…'),
    detail: vscode.l10n.t('Trust this workspace to use its prompts.'),
    act: async () => vscode.commands.executeCommand('workbench.trust.manage'),
  };
}

/** Opens a new prompt file with an example, in a folder that the user chooses. */
async function createPromptFile({ prompts: { ownFolder } }: ChatServices): Promise<void> {
  const title = vscode.l10n.t('New Prompt File');
  const folder = await pickFolder(ownFolder, title);
  if (!folder) return;
  const typed = await requestText({
    title,
    prompt: vscode.l10n.t('The name of the prompt, which you type after / in the message box'),
    problem: findNameProblem,
  });
  if (typed === undefined) return;
  const name = typed.trim();
  const file = vscode.Uri.joinPath(folder, `${name}${promptSuffix}`);
  try {
    if (!(await fileExists(file))) {
      await vscode.workspace.fs.createDirectory(folder);
      await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(createExamplePrompt(name)));
    }
    await showDocument(file, { preview: false });
  } catch (error) {
    void notify(
      'error',
      vscode.l10n.t('“{0}” was not written: {1}', readFileName(file), errorMessage(error)),
    );
  }
}

async function openPromptsFolder({ prompts: { ownFolder } }: ChatServices): Promise<void> {
  const folder = await pickFolder(ownFolder, vscode.l10n.t('Open Prompts Folder…'));
  if (!folder) return;
  await vscode.workspace.fs.createDirectory(folder);
  if (isLocalWindow() && folder.scheme === 'file') {
    await vscode.commands.executeCommand('revealFileInOS', folder);
    return;
  }
  const [file] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t('Open Prompt File'),
      openLabel: vscode.l10n.t('Open'),
      defaultUri: folder,
    })) ?? [];
  if (file) await showDocument(file, { preview: false });
}

/** Lets the user choose one of the prompt folders. */
async function pickFolder(own: vscode.Uri, title: string): Promise<vscode.Uri | undefined> {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const choices = [
    {
      label: vscode.l10n.t('Yours, in every workspace'),
      detail: own.scheme === 'file' ? own.fsPath : own.path,
      icon: 'account',
      uri: own,
    },
    ...folders.map(({ name, uri }) => ({
      label: vscode.l10n.t('In the workspace, for everyone who works in it'),
      detail: `${name}/${workspacePromptsFolder}`,
      icon: 'folder',
      uri: vscode.Uri.joinPath(uri, workspacePromptsFolder),
    })),
  ];
  return choices.length === 1
    ? own
    : (await pick(choices, { title, placeHolder: vscode.l10n.t('Choose a folder') }))?.uri;
}

function findNameProblem(text: string): string | undefined {
  const name = text.trim();
  if (name === '') return vscode.l10n.t('A prompt needs a name.');
  if (name.length > maxNameLength) return vscode.l10n.t('At most {0} characters.', maxNameLength);
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name)
    ? undefined
    : vscode.l10n.t('Use letters, digits, “-”, “_” and “.” only.');
}

/** The commands of prompt files by their ids. */
export const promptCommands = {
  'prompts.run': runChosenPrompt,
  'prompts.new': createPromptFile,
} satisfies CommandTable<ChatServices>;
