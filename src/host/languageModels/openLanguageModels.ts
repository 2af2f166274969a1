import * as vscode from 'vscode';
import type { Connection } from '../connection/connection.ts';
import type { Gateways } from '../connection/gateways.ts';
import type { ModelNotes } from '../models/modelNotes.ts';
import { OfferedModels } from './list/offeredModels.ts';
import { ModelProvider } from './modelProvider.ts';
import { PlainReplies } from './reply/plainReplies.ts';

/** The vendor by which package.json and other extensions name our models. */
export const vendor = 'model-gateway';

interface LanguageModelServices {
  readonly connection: Connection;
  readonly gateways: Gateways;
  readonly modelNotes: ModelNotes;
  readonly memory: vscode.Memento;
}

/** Offers the gateways' models to VS Code's own chat and to other extensions. */
export function openLanguageModels(services: LanguageModelServices): vscode.Disposable {
  const models = new OfferedModels(services);
  const provider = new ModelProvider(models, new PlainReplies(services));
  const registration = vscode.lm.registerLanguageModelChatProvider(vendor, provider);
  return vscode.Disposable.from(registration, models);
}
