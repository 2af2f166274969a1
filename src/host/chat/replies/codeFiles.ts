import * as vscode from 'vscode';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import { clipped, visibleText } from '../../kit/display/plainText.ts';
import { isReadOnlyBySettings, readOnlyRefusal } from './readOnlyFiles.ts';
import { mayChange } from './workspaceFiles.ts';

/** VS Code's names of languages that replies call otherwise. */
const languageIds: Readonly<Record<string, string>> = {
  ...{
    ts: 'typescript',
    mts: 'typescript',
    cts: 'typescript',
    tsx: 'typescriptreact',
    jsx: 'javascriptreact',
  },
  ...{ js: 'javascript', mjs: 'javascript', cjs: 'javascript', node: 'javascript', py: 'python', rb: 'ruby' },
  ...{
    rs: 'rust',
    golang: 'go',
    cs: 'csharp',
    'c#': 'csharp',
    'c++': 'cpp',
    h: 'c',
    hpp: 'cpp',
    kt: 'kotlin',
  },
  ...{ bash: 'shellscript', sh: 'shellscript', zsh: 'shellscript', shell: 'shellscript' },
  ...{ ps1: 'powershell', pwsh: 'powershell', cmd: 'bat', docker: 'dockerfile', make: 'makefile' },
  ...{ md: 'markdown', yml: 'yaml', htm: 'html', text: 'plaintext', txt: 'plaintext', patch: 'diff' },
};

/** Opens code of a reply in a new untitled editor, in its language where VS Code has that. */
export async function openAsNewFile(code: string, language: string): Promise<void> {
  const name = language.toLowerCase();
  const id = Object.hasOwn(languageIds, name) ? languageIds[name] : name;
  const known = await vscode.languages.getLanguages();
  const document = await vscode.workspace.openTextDocument({
    content: visibleText(code),
    ...(id !== undefined && known.includes(id) && { language: id }),
  });
  await showDocument(document, { preview: false });
}

/**
 * Inserts code at the cursor of an editor, or in the place of what is selected there, as one step that can be undone.
 * Never into files that steer tools, nor outside the workspace (T19).
 */
export async function insertCode(code: string, editor: vscode.TextEditor | undefined): Promise<void> {
  if (!editor) {
    return say(
      vscode.l10n.t(
        'There is no editor to insert the code into. Open a file and place the cursor in it first.',
      ),
    );
  }
  const { document, selections } = editor;
  if (!(await mayChange(document.uri))) return say(refusal(document.uri));
  if (await isReadOnlyBySettings(document)) return say(readOnlyRefusal(document.uri));
  const options = editor.viewColumn === undefined ? {} : { viewColumn: editor.viewColumn };
  const shown = await showDocument(document, { ...options, preview: false });
  const text = visibleText(code).replace(/\n$/, '');
  const done = await shown.edit((edit) => {
    for (const selection of selections) edit.replace(document.validateRange(selection), text);
  });
  if (!done) await say(vscode.l10n.t('“{0}” cannot be changed.', nameOf(document.uri)));
}

function refusal(uri: vscode.Uri): string {
  return vscode.l10n.t(
    'The code cannot be inserted into “{0}”: files outside the workspace and files whose names begin with a dot are not changed automatically. Copy the code instead.',
    nameOf(uri),
  );
}

function nameOf(uri: vscode.Uri): string {
  return clipped(uri.path.split('/').at(-1) ?? '', 60);
}

async function say(words: string): Promise<void> {
  await notify('info', words);
}
