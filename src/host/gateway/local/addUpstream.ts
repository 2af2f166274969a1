import * as vscode from 'vscode';
import { untilAborted } from '../../../base/cancellation.ts';
import { GatewayControlError } from '../../connection/gatewayControl.ts';
import { notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import type { GatewayServices } from '../gatewayServices.ts';
import { changeConfig, readTakenNames } from './changeConfig.ts';
import { type UpstreamEntry, withUpstream } from './configEdit.ts';
import { localModelIds, notifyAddedUpstreams } from './notifyAddedUpstreams.ts';
import { promptForUpstream, type UpstreamChoices } from './promptForUpstream.ts';
import { openGatewayControl } from './startStop.ts';
import { entryOf, type UpstreamDraft } from './upstreamDraft.ts';

/** Prompts for an upstream, tests it with one request, and writes it into the configuration. */
export async function addUpstream(services: GatewayServices): Promise<void> {
  const readChoices = () => readUpstreamChoices(services);
  let draft = await promptForUpstream(services, readChoices);
  while (draft !== undefined) {
    const result = await tryDraft(services, draft);
    if (result === 'cancel') return;
    if (result !== 'change') return saveUpstream(services, result);
    draft = await promptForUpstream(services, readChoices, draft);
  }
}

async function readUpstreamChoices(services: GatewayServices): Promise<UpstreamChoices | undefined> {
  const control = await openGatewayControl(services);
  const takenNames = control && (await readTakenNames(services));
  return takenNames && { kinds: (await control.readStatus()).kinds, takenNames };
}

type AfterFailure = 'change' | 'cancel';

/**
 * Tests a draft with one request. After a failure, the user chooses whether to add the upstream anyway.
 *
 * @returns the draft to save, with the address that replied
 */
async function tryDraft(
  services: GatewayServices,
  draft: UpstreamDraft,
): Promise<UpstreamDraft | AfterFailure> {
  const control = await openGatewayControl(services);
  if (!control) return 'cancel';
  // The gateway runs a command only if the configuration contains it, so the draft cannot be tested.
  if (draft.command !== '') return draft;
  const { name, key, baseUrl, otherUrls } = draft;
  const title = vscode.l10n.t('Loading the models of {0}…', new URL(baseUrl).host);
  let progressSignal: AbortSignal | undefined;
  try {
    const replied = await withNotificationProgress(title, (signal) => {
      progressSignal = signal;
      const reply = control.tryUpstream(entryOf(draft), key === '' ? undefined : key, otherUrls);
      return untilAborted(reply, signal);
    });
    return { ...draft, baseUrl: replied.baseUrl };
  } catch (error) {
    if (progressSignal?.aborted) return 'cancel';
    if (!(error instanceof GatewayControlError)) throw error;
    return (await promptAfterFailure(name, error.message)) ?? draft;
  }
}

/** @returns undefined if the user adds it anyway */
async function promptAfterFailure(name: string, problem: string): Promise<AfterFailure | undefined> {
  const change = vscode.l10n.t('Change…');
  const addAnyway = vscode.l10n.t('Add Anyway');
  const words = vscode.l10n.t('{0} does not list its models. {1}', name, problem);
  const chosen = await notify('error', words, change, addAnyway);
  if (chosen === change) return 'change';
  return chosen === addAnyway ? undefined : 'cancel';
}

async function saveUpstream(services: GatewayServices, draft: UpstreamDraft): Promise<void> {
  const entry = entryOf(draft);
  const before = localModelIds(services);
  if (draft.key !== '') {
    await storeUpstreamKey(services, entry, draft.key);
    await services.localGateway.control?.sendKeys({ [entry.name]: draft.key });
  }
  // The user has just entered it, so no further consent is needed.
  await services.localGateway.control?.reportEntered(entry);
  if (!(await changeConfig(services, (text) => withUpstream(text, entry)))) return;
  await notifyAddedUpstreams(services, [entry.name], before);
}

/** Stores the key of an upstream in the secret storage. Warns if it could be stored for this window only. */
export async function storeUpstreamKey(
  { upstreamKeys }: GatewayServices,
  { name, baseUrl }: UpstreamEntry,
  key: string,
): Promise<void> {
  if (await upstreamKeys.store({ name, baseUrl }, key)) return;
  void notify(
    'warning',
    vscode.l10n.t('VS Code could not store the key. It is used until this window closes.'),
  );
}
