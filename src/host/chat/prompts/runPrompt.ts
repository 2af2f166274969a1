import * as vscode from 'vscode';
import { showDocument } from '../../kit/display/editors.ts';
import { notify } from '../../kit/display/notify.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import { isBuiltIn } from './builtInPrompts.ts';
import { editorValue } from './editorValues.ts';
import { addPromptContext } from './promptContext.ts';
import type { Prompt } from './promptFile.ts';
import { type FoundPrompt, fileName, readPromptFile } from './promptList.ts';
import type { PromptShelf } from './promptShelf.ts';
import { type EditorVariable, editorValuesIn } from './promptTemplate.ts';
import { missingSentence, placeWords, problemSentence } from './promptWords.ts';

/**
 * Fills the message box of a chat with a prompt, as its file is now. A built-in prompt also adds its context, and
 * needs some. Nothing is sent.
 *
 * @param openChat called once it is known that the prompt can be run
 */
export async function runPrompt(
  { editor }: PromptShelf,
  chosen: FoundPrompt,
  openChat: () => Promise<ChatPanel>,
): Promise<void> {
  const { uri, folder } = chosen;
  const found = isBuiltIn(chosen) ? chosen : await readPromptFile(uri, folder);
  if (!found.prompt)
    return tell(uri, found.problem?.line, found.problem ? problemSentence(found.problem) : '');
  const values = await editorValues(uri, found.prompt, editor.now);
  if (!values) return;
  const chat = await openChat();
  const isReady = !isBuiltIn(chosen) || (await addPromptContext(chat.session.unsent, chosen, editor.now));
  if (isReady) await chat.prompts.start({ uri, prompt: found.prompt, editor: values });
  chat.perform(chat.prompts.view ? 'focus-prompt-form' : 'focus-composer');
}

/** @returns undefined where one is missing, which is told */
async function editorValues(
  uri: vscode.Uri,
  { template }: Prompt,
  editor: vscode.TextEditor | undefined,
): Promise<ReadonlyMap<EditorVariable, string> | undefined> {
  const values = new Map<EditorVariable, string>();
  for (const { name, line } of editorValuesIn(template)) {
    const value = await editorValue(name, editor);
    if (value === '') {
      await tell(uri, line, `\${${name}}: ${missingSentence(name)}`);
      return undefined;
    }
    values.set(name, value);
  }
  return values;
}

/** Tells what is wrong with a prompt, and offers to open its file there. */
async function tell(uri: vscode.Uri, line: number | undefined, sentence: string): Promise<void> {
  const open = vscode.l10n.t('Open Prompt File');
  const words = vscode.l10n.t('{0}: {1}', placeWords(fileName(uri), line), sentence);
  if ((await notify('error', words, open)) !== open) return;
  const at = new vscode.Position((line ?? 1) - 1, 0);
  await showDocument(uri, { selection: new vscode.Range(at, at) });
}
