import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errors.ts';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { askText, type Choice, pick } from '../../kit/display/quickInput.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import type { ChatServices } from '../chatServices.ts';
import { isBuiltIn } from '../prompts/builtInPrompts.ts';
import { examplePrompt } from '../prompts/examplePrompt.ts';
import { promptSuffix } from '../prompts/promptFile.ts';
import {
  type FoundPrompt,
  hasUntrustedPrompts,
  promptFileName,
  promptName,
  workspacePrompts,
} from '../prompts/promptList.ts';
import { problemSentence } from '../prompts/promptWords.ts';
import { runPrompt } from '../prompts/runPrompt.ts';
import { fileExists } from '../replies/workspaceFiles.ts';

const maxNameLength = 60;

interface Row extends Choice {
  readonly act: () => Promise<unknown>;
}

/** Lets the user choose a prompt for the message box of the last active chat. */
async function run(services: ChatServices): Promise<void> {
  // The list opens before the prompt files are read: keys typed in the meantime would otherwise reach the chat.
  const chosen = await pick(promptRows(services), {
    title: vscode.l10n.t('Run Prompt'),
    placeHolder: vscode.l10n.t('Choose a prompt to insert into the message box'),
  });
  await chosen?.act();
}

async function promptRows(services: ChatServices): Promise<readonly Row[]> {
  const { prompts: library, chats } = services;
  const openChat = async () => chats.lastActive ?? chats.open({});
  const found = await library.find();
  const rows: Row[] = found.map((each) => ({
    ...promptChoice(each),
    act: () => runPrompt(library, each, openChat),
  }));
  if (await hasUntrustedPrompts()) rows.push(trustRow());
  rows.push({
    icon: 'add',
    label: vscode.l10n.t('New Prompt File…'),
    act: () => newFile(services),
  });
  return rows;
}

function promptChoice(found: FoundPrompt): Choice {
  const { uri, folder, prompt, problem } = found;
  return {
    icon: problem ? 'warning' : 'comment',
    label: promptName(found),
    description: isBuiltIn(found) ? vscode.l10n.t('Built-in') : folderLabel(uri, folder),
    detail: problem ? problemSentence(problem) : (prompt?.description ?? ''),
  };
}

function folderLabel(uri: vscode.Uri, folder: string | undefined): string {
  return folder === undefined ? vscode.l10n.t('Yours') : `${folder}/${promptFileName(uri)}`;
}

function trustRow(): Row {
  return {
    icon: 'shield',
    label: vscode.l10n.t('Manage Workspace Trust…'),
    detail: vscode.l10n.t('Trust this workspace to use its prompts.'),
    act: async () => vscode.commands.executeCommand('workbench.trust.manage'),
  };
}

/** Opens a new prompt file with an example, in a folder that the user chooses. */
async function newFile({ prompts: { ownFolder } }: ChatServices): Promise<void> {
  const title = vscode.l10n.t('New Prompt File');
  const folder = await pickFolder(ownFolder, title);
  if (!folder) return;
  const typed = await askText({
    title,
    prompt: vscode.l10n.t('The name of the prompt, which you type after / in the message box'),
    problem: nameProblem,
  });
  if (typed === undefined) return;
  const name = typed.trim();
  const file = vscode.Uri.joinPath(folder, `${name}${promptSuffix}`);
  try {
    if (!(await fileExists(file))) {
      await vscode.workspace.fs.createDirectory(folder);
      await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(examplePrompt(name)));
    }
    await showDocument(file, { preview: false });
  } catch (error) {
    void notify(
      'error',
      vscode.l10n.t('“{0}” was not written: {1}', promptFileName(file), errorMessage(error)),
    );
  }
}

async function openFolder({ prompts: { ownFolder } }: ChatServices): Promise<void> {
  const folder = await pickFolder(ownFolder, vscode.l10n.t('Open Prompts Folder'));
  if (!folder) return;
  await vscode.workspace.fs.createDirectory(folder);
  const isHere = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  if (isHere && folder.scheme === 'file') {
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
      detail: `${name}/${workspacePrompts}`,
      icon: 'folder',
      uri: vscode.Uri.joinPath(uri, workspacePrompts),
    })),
  ];
  return choices.length === 1
    ? own
    : (await pick(choices, { title, placeHolder: vscode.l10n.t('Choose a folder') }))?.uri;
}

function nameProblem(text: string): string | undefined {
  const name = text.trim();
  if (name === '') return vscode.l10n.t('A prompt needs a name.');
  if (name.length > maxNameLength) return vscode.l10n.t('At most {0} characters.', maxNameLength);
  return /^[\p{L}\p{N}_][\p{L}\p{N}_.-]*$/u.test(name)
    ? undefined
    : vscode.l10n.t('Use letters, digits, “-”, “_” and “.” only.');
}

/** The commands of prompt files by their ids. */
export const promptCommands = {
  'prompts.run': run,
  'prompts.new': newFile,
  'prompts.openFolder': openFolder,
} satisfies CommandTable<ChatServices>;
