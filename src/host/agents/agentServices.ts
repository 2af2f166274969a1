import type * as vscode from 'vscode';
import { disposeWithExtension } from '../kit/kitServices.ts';
import type { RequestServices } from '../requests/requestServices.ts';
import { OfferedModels } from './languageModels/list/offeredModels.ts';

export interface AgentServices extends RequestServices {
  /** The models that VS Code's own chat offers. */
  readonly offeredModels: OfferedModels;
}

export function createAgentServices(context: vscode.ExtensionContext, below: RequestServices): AgentServices {
  return { ...below, offeredModels: disposeWithExtension(context, new OfferedModels(below)) };
}
