import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { answerDialogs, type ShownDialog } from './dialogs.ts';

/** What an agent gets of a call, and what the user was asked meanwhile. */
export interface ToolReply {
  readonly text: string;
  readonly dialogs: readonly ShownDialog[];
}

/** Calls one of our tools as an agent does, while the user answers each dialog with the button of that name. */
export async function callTool(id: string, input: object, answer?: string): Promise<ToolReply> {
  let text = '';
  const dialogs = await answerDialogs(answer, async () => {
    text = textOf(
      await vscode.lm.invokeTool(`modelGateway_${id}`, { input, toolInvocationToken: undefined }),
    );
  });
  // Notices of tasks that ended meanwhile have no detail.
  return { text, dialogs: dialogs.filter(({ detail }) => detail !== '') };
}

/** The message that an agent gets of a call that fails. */
export async function failedTool(id: string, input: object, answer?: string): Promise<string> {
  return callTool(id, input, answer).then(
    ({ text }) => assert.fail(`it did not fail: ${text}`),
    (error: Error) => error.message,
  );
}

function textOf({ content }: vscode.LanguageModelToolResult): string {
  const texts = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''));
  assert.equal(texts.length, 1);
  return texts.join('');
}

/** Turns VS Code's approval of all tools on or off, with which it asks nothing itself before a tool runs. */
export async function approveAllTools(isOn: boolean): Promise<void> {
  await vscode.workspace
    .getConfiguration('chat.tools.global')
    .update('autoApprove', isOn || undefined, vscode.ConfigurationTarget.Global);
  // VS Code's own key for tests: else it asks whether that was meant.
  await vscode.commands.executeCommand('setContext', 'vscode.chat.tools.global.autoApprove.testMode', isOn);
}
