import * as vscode from 'vscode';
import type { ConnectionServices } from '../connection/connectionServices.ts';
import { notify } from '../kit/display/notify.ts';
import { disposeWithExtension } from '../kit/kitServices.ts';
import { ModelChoices } from './modelChoices.ts';
import { readModelRules } from './modelSettings.ts';
import { ModelsView } from './modelsView.ts';
import { ModelsViewOffers } from './modelsViewOffers.ts';
import { SpendingCounter } from './spendingCounter.ts';
import { readSpendingLimits } from './spendingLimits.ts';

export interface ModelServices extends ConnectionServices {
  readonly modelChoices: ModelChoices;
  readonly modelsView: ModelsView;
  readonly offers: ModelsViewOffers;
  readonly spending: SpendingCounter;
}

export function createModelServices(
  context: vscode.ExtensionContext,
  below: ConnectionServices,
): ModelServices {
  const { connection, gateways, localUpstreams, memory, log } = below;
  const modelChoices = new ModelChoices(memory, readModelRules);
  const offers = disposeWithExtension(context, new ModelsViewOffers(memory));
  const modelsView = disposeWithExtension(
    context,
    new ModelsView(connection, modelChoices, localUpstreams, offers),
  );
  const file = vscode.Uri.joinPath(context.globalStorageUri, 'spending.sqlite').fsPath;
  const spending = new SpendingCounter({
    // Loaded with the first request, because it loads SQLite.
    openStore: async () => {
      const { SpendingStore } = await import('../../storage/spending/spendingStore.ts');
      return new SpendingStore(file, Date.now, notifyDamagedCounts);
    },
    limits: () => readSpendingLimits(gateways),
    sources: (gateway) => ({
      gateway,
      models: connection.get(gateway).state.models,
      rules: readModelRules(),
    }),
    log,
  });
  connection.countSpending((gateway, request) => spending.reserve(gateway, request));
  return { ...below, modelChoices, modelsView, offers, spending };
}

/** Notifies the user that the counts of the limits may be too low. */
function notifyDamagedCounts(): void {
  void notify(
    'warning',
    vscode.l10n.t(
      'The file with the counts of the spending limits was damaged. Earlier requests may be missing in the limits.',
    ),
  );
}
