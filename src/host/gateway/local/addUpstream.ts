import * as vscode from 'vscode';
import { untilAborted } from '../../../base/untilAborted.ts';
import { GatewayControlError } from '../../connection/gatewayControl.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { askUpstream, type KnownUpstreams } from './askUpstream.ts';
import { changeConfig, takenNames } from './changeConfig.ts';
import { withUpstream } from './configEdit.ts';
import { runningGateway } from './runningGateway.ts';
import { storeKey } from './storeKey.ts';
import { knownModels, tellAdded } from './tellAdded.ts';
import { entryOf, type UpstreamDraft } from './upstreamDraft.ts';

/** Asks what the upstream is, tries it by one request, and writes it into the configuration. */
export async function addUpstream(services: GatewayServices): Promise<void> {
  const find = () => findKnown(services);
  let draft = await askUpstream(services, find);
  while (draft !== undefined) {
    const result = await tryDraft(services, draft);
    if (result === 'given-up') return;
    if (result !== 'change') return keep(services, result);
    draft = await askUpstream(services, find, draft);
  }
}

async function findKnown(services: GatewayServices): Promise<KnownUpstreams | undefined> {
  const control = await runningGateway(services);
  const taken = control && (await takenNames(services));
  return taken && { kinds: (await control.state()).kinds, taken };
}

/** The draft to keep, with the address that answered. */
type TryResult = UpstreamDraft | 'change' | 'given-up';

async function tryDraft(services: GatewayServices, draft: UpstreamDraft): Promise<TryResult> {
  const control = await runningGateway(services);
  if (!control) return 'given-up';
  // Its command runs once it is in the configuration.
  if (draft.command !== '') return draft;
  const { name, key, baseUrl, otherUrls } = draft;
  const title = vscode.l10n.t('Loading the models of {0}…', new URL(baseUrl).host);
  let cancelled: AbortSignal | undefined;
  try {
    const tried = await withNotificationProgress(title, (signal) => {
      cancelled = signal;
      const trying = control.tryUpstream(entryOf(draft), key === '' ? undefined : key, otherUrls);
      return untilAborted(trying, signal);
    });
    return { ...draft, baseUrl: tried.baseUrl };
  } catch (error) {
    if (cancelled?.aborted) return 'given-up';
    if (!(error instanceof GatewayControlError)) throw error;
    return (await askAfterFailure(name, error.message)) ?? draft;
  }
}

/** @returns undefined where it is added anyway */
async function askAfterFailure(name: string, problem: string): Promise<'change' | 'given-up' | undefined> {
  const change = vscode.l10n.t('Change…');
  const addAnyway = vscode.l10n.t('Add Anyway');
  const words = vscode.l10n.t('{0} does not list its models. {1}', name, problem);
  const chosen = await notify('error', words, change, addAnyway);
  if (chosen === change) return 'change';
  return chosen === addAnyway ? undefined : 'given-up';
}

async function keep(services: GatewayServices, draft: UpstreamDraft): Promise<void> {
  const entry = entryOf(draft);
  const before = knownModels(services);
  if (draft.key !== '') {
    await storeKey(services, entry, draft.key);
    await services.localGateway.control?.giveKeys({ [entry.name]: draft.key });
  }
  // What the user has just entered needs no further question.
  await services.localGateway.control?.entered(entry);
  if (!(await changeConfig(services, (text) => withUpstream(text, entry)))) return;
  await tellAdded(services, [entry.name], before);
}
