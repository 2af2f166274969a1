import * as vscode from 'vscode';
import { untilAborted } from '../../base/untilAborted.ts';
import { GatewayControlError } from '../connection/gatewayControl.ts';
import { notify } from '../display/notify.ts';
import { withNotificationProgress } from '../display/progress.ts';
import type { Services } from '../services.ts';
import { askUpstream } from './askUpstream.ts';
import { changeConfig, takenNames } from './changeConfig.ts';
import { withUpstream } from './configEdit.ts';
import { runningGateway } from './runningGateway.ts';
import { storeKey } from './storeKey.ts';
import { knownModels, tellAdded } from './tellAdded.ts';
import { entryOf, type UpstreamDraft } from './upstreamDraft.ts';

/** Asks what the upstream is, tries it by one request, and writes it into the configuration. */
export async function addUpstream(services: Services): Promise<void> {
  const control = await runningGateway(services);
  const taken = control && (await takenNames(services));
  if (!taken) return;
  const { kinds } = await control.state();
  let draft = await askUpstream(kinds, taken);
  while (draft !== undefined) {
    const result = await tryDraft(services, draft);
    if (result === 'given-up') return;
    if (result === 'keep') return keep(services, draft);
    draft = await askUpstream(kinds, taken, draft);
  }
}

type TryResult = 'keep' | 'change' | 'given-up';

async function tryDraft(services: Services, draft: UpstreamDraft): Promise<TryResult> {
  const control = await runningGateway(services);
  if (!control) return 'given-up';
  // Its command runs once it is in the configuration.
  if (draft.command !== '') return 'keep';
  const { name, key, baseUrl } = draft;
  const title = vscode.l10n.t('Asking {0} for its models…', new URL(baseUrl).host);
  let cancelled: AbortSignal | undefined;
  try {
    await withNotificationProgress(title, (signal) => {
      cancelled = signal;
      return untilAborted(control.tryUpstream(entryOf(draft), key === '' ? undefined : key), signal);
    });
    return 'keep';
  } catch (error) {
    if (cancelled?.aborted) return 'given-up';
    if (!(error instanceof GatewayControlError)) throw error;
    return askAfterFailure(name, error.message);
  }
}

async function askAfterFailure(name: string, problem: string): Promise<TryResult> {
  const change = vscode.l10n.t('Change…');
  const addAnyway = vscode.l10n.t('Add Anyway');
  const words = vscode.l10n.t('{0} does not list its models. {1}', name, problem);
  const chosen = await notify('error', words, change, addAnyway);
  if (chosen === change) return 'change';
  return chosen === addAnyway ? 'keep' : 'given-up';
}

async function keep(services: Services, draft: UpstreamDraft): Promise<void> {
  const entry = entryOf(draft);
  const before = knownModels(services);
  if (draft.key !== '') {
    await storeKey(services, entry, draft.key);
    await services.localGateway.control?.giveKeys({ [entry.name]: draft.key });
  }
  // What the user has just entered needs no further question.
  const key = draft.command === '' ? {} : { keyCommand: draft.command };
  await services.localGateway.control?.consent({ origins: [new URL(entry.baseUrl).origin], ...key });
  if (!(await changeConfig(services, (text) => withUpstream(text, entry)))) return;
  await tellAdded(services, [entry.name], before);
}
