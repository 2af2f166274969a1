import type * as vscode from 'vscode';
import type { ConnectionServices } from '../connection/connectionServices.ts';
import { own } from '../kit/kitServices.ts';
import { ModelNotes } from './modelNotes.ts';
import { readModelRules } from './modelSettings.ts';
import { ModelsView } from './modelsView.ts';
import { Offers } from './offers.ts';

export interface ModelServices extends ConnectionServices {
  readonly modelNotes: ModelNotes;
  readonly modelsView: ModelsView;
  readonly offers: Offers;
}

export function createModelServices(
  context: vscode.ExtensionContext,
  below: ConnectionServices,
): ModelServices {
  const { connection, localUpstreams, memory } = below;
  const modelNotes = new ModelNotes(memory, readModelRules);
  const offers = own(context, new Offers(memory));
  const modelsView = own(context, new ModelsView(connection, modelNotes, localUpstreams, offers));
  return { ...below, modelNotes, modelsView, offers };
}
