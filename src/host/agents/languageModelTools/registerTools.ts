import * as vscode from 'vscode';
import { loadPart } from '../../kit/loadPart.ts';
import { type ToolId, toolId } from '../../kit/manifest/contributions.ts';
import type { AgentServices } from '../agentServices.ts';

interface Manifest {
  readonly contributes: { readonly languageModelTools: readonly { readonly name: string }[] };
}

/**
 * Registers the tools of the manifest, so that agents find them from the start. Their code loads with the first
 * call.
 */
export function registerTools(context: vscode.ExtensionContext, services: AgentServices): void {
  const { contributes }: Manifest = context.extension.packageJSON;
  for (const { name } of contributes.languageModelTools) {
    context.subscriptions.push(vscode.lm.registerTool(name, lazyTool(toolId(name), services)));
  }
}

/**
 * Tools do not use VS Code's confirmation before a call, because VS Code can approve it automatically. A tool that
 * may cost money or cancels a task shows a dialog of this extension instead.
 */
function lazyTool(id: ToolId, services: AgentServices): vscode.LanguageModelTool<unknown> {
  const load = () => loadPart(() => import('./toolCalls.ts'));
  return {
    prepareInvocation: async ({ input }) => (await load()).prepareCall(id, input),
    invoke: async (options, token) => (await load()).callTool(id, options, services, token),
  };
}
