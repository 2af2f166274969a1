import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { type ToolId, toolName } from '../../src/host/kit/manifest/contributions.ts';
import { answerDialogs, type ShownDialog } from './dialogs.ts';

/** The result of an agent's tool call, and the dialogs that the user saw during it. */
export interface ToolReply {
  readonly text: string;
  readonly dialogs: readonly ShownDialog[];
}

/** Calls one of our tools as an agent does; the user presses this button in each dialog. */
export async function callTool(id: string, input: object, button?: string): Promise<ToolReply> {
  let text = '';
  const dialogs = await answerDialogs(button, async () => {
    text = readText(
      await vscode.lm.invokeTool(toolName(id as ToolId), { input, toolInvocationToken: undefined }),
    );
  });
  // Notifications about tasks that ended during the call have no detail.
  return { text, dialogs: dialogs.filter(({ detail }) => detail !== '') };
}

/** Returns the message that an agent receives for a failed call. */
export async function callFailingTool(id: string, input: object, button?: string): Promise<string> {
  return callTool(id, input, button).then(
    ({ text }) => assert.fail(`it did not fail: ${text}`),
    (error: Error) => error.message,
  );
}

function readText({ content }: vscode.LanguageModelToolResult): string {
  const texts = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : ''));
  assert.equal(texts.length, 1);
  return texts.join('');
}

/**
 * Turns VS Code's approval of all tools on or off. If it is on, VS Code shows no dialog before a tool runs.
 */
export async function approveAllTools(isOn: boolean): Promise<void> {
  await vscode.workspace
    .getConfiguration('chat.tools.global')
    .update('autoApprove', isOn || undefined, vscode.ConfigurationTarget.Global);
  // VS Code's own context key for tests; without it VS Code shows a dialog.
  await vscode.commands.executeCommand('setContext', 'vscode.chat.tools.global.autoApprove.testMode', isOn);
}
