import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { ModelUse } from '../../wire/apis/models/modelUse.ts';
import type { Gateway } from '../connection/gateways.ts';
import { listed } from '../kit/display/listed.ts';
import { notify } from '../kit/display/notify.ts';
import { showStatusMessage } from '../kit/display/statusBar.ts';
import { forgottenRow } from '../kit/forgottenRow.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { runCommand } from '../kit/manifest/contributions.ts';
import { useTitle } from './modelDescription.ts';
import { pickModel } from './modelPicker.ts';
import { pageOf } from './modelRows.ts';
import type { ModelServices } from './modelServices.ts';
import type { ModelsNode } from './modelsView.ts';
import { connected } from './noGateway.ts';
import { upstreamHelp } from './upstreamRows.ts';

async function refreshModels(services: ModelServices): Promise<void> {
  await connected(services);
  await Promise.all([services.localUpstreams.refresh(), services.connection.refresh()]);
}

/** Asks for a model of the window's gateway, and opens its page. */
async function findModel(services: ModelServices): Promise<void> {
  await openModel(services, await pickModel(services));
}

async function openSelected(services: ModelServices): Promise<void> {
  const { modelsView, localUpstreams } = services;
  const upstream = modelsView.selectedUpstream;
  if (upstream !== undefined)
    return void (await runCommand(upstreamHelp(localUpstreams.state, upstream), { name: upstream }));
  await openModel(services, services.modelsView.selected);
}

/**
 * Opens the page for a model of the window's gateway: a chat, or Generate for one that makes videos. Says so when it is
 * for neither.
 */
async function openModel(services: ModelServices, model: Model | undefined): Promise<void> {
  const { gateway } = services.connection.state;
  if (!gateway || !model) return;
  const uses = services.modelNotes.usesAt(gateway)(model);
  const page = pageOf(uses);
  if (page) await runCommand(page === 'generate' ? 'generate' : 'newChat', model);
  else await tellOtherUse(services, model, uses);
}

async function tellOtherUse(services: ModelServices, model: Model, uses: readonly ModelUse[]): Promise<void> {
  const copy = vscode.l10n.t('Copy Model ID');
  const offer = vscode.l10n.t('Offer in Chats');
  const words =
    uses.length > 0
      ? vscode.l10n.t('{0} is for {1}, not for chats.', model.id, inSentence(uses))
      : vscode.l10n.t('{0} is hidden from chats.', model.id);
  const chosen = await notify('info', words, copy, offer);
  if (chosen === copy) await copyModelId(services, model);
  else if (chosen === offer) await offerInChats(services, model);
}

function inSentence(uses: readonly ModelUse[]): string {
  return listed(uses.map(useTitle)).toLocaleLowerCase(vscode.env.language);
}

/** Copies a model's id: of `row`, else of the selected row, else of a model that the user picks. */
async function copyModelId(services: ModelServices, row?: unknown): Promise<void> {
  const model = await givenModel(services, row);
  if (model === undefined) return;
  await vscode.env.clipboard.writeText(model.id);
  showStatusMessage(vscode.l10n.t('Copied {0}', model.id));
}

/** Returns the model of a command's argument: a row of the view, or a model. */
export function modelOf(given: unknown): Model | undefined {
  const node = given as Partial<Extract<ModelsNode, { kind: 'model' }> & Model> | undefined;
  if (node?.kind === 'model') return node.model;
  return typeof node?.id === 'string' ? (node as Model) : undefined;
}

async function pin(services: ModelServices, row?: unknown): Promise<void> {
  const { marks } = services.modelNotes;
  const isPinned = pinnedIn(services);
  await mark(
    services,
    row,
    (model) => !isPinned(model),
    (at, { id }) => marks.pin(at, id),
  );
}

async function unpin(services: ModelServices, row?: unknown): Promise<void> {
  const { marks } = services.modelNotes;
  await mark(services, row, pinnedIn(services), (at, { id }) => marks.unpin(at, id));
}

function pinnedIn({ connection, modelNotes }: ModelServices): (model: Model) => boolean {
  const { gateway } = connection.state;
  const pinned = gateway ? modelNotes.marks.pinned(gateway) : [];
  return ({ id }) => pinned.includes(id);
}

/** Offers a model in chats, whatever it is for by its gateway or its id. */
async function offerInChats(services: ModelServices, row?: unknown): Promise<void> {
  const { marks } = services.modelNotes;
  const isOffered = offeredInChats(services);
  await mark(
    services,
    row,
    (model) => !isOffered(model),
    (at, { id }) => marks.offerInChats(at, id, true),
  );
}

async function hideFromChats(services: ModelServices, row?: unknown): Promise<void> {
  const { marks } = services.modelNotes;
  await mark(services, row, offeredInChats(services), (at, { id }) => marks.offerInChats(at, id, false));
}

async function showInVsCodeChat(services: ModelServices, row?: unknown): Promise<void> {
  const { marks } = services.modelNotes;
  const isShown = shownInVsCodeChat(services);
  await mark(
    services,
    row,
    (model) => !isShown(model),
    (at, { id }) => marks.offerInVsCodeChat(at, id, true),
  );
}

async function hideFromVsCodeChat(services: ModelServices, row?: unknown): Promise<void> {
  const { marks } = services.modelNotes;
  await mark(services, row, shownInVsCodeChat(services), (at, { id }) =>
    marks.offerInVsCodeChat(at, id, false),
  );
}

function shownInVsCodeChat({ connection, modelNotes }: ModelServices): (model: Model) => boolean {
  const { gateway } = connection.state;
  const shown = gateway && modelNotes.inVsCodeChatAt(gateway);
  return (model) => shown?.(model) ?? false;
}

function offeredInChats({ connection, modelNotes }: ModelServices): (model: Model) => boolean {
  const { gateway } = connection.state;
  const uses = gateway && modelNotes.usesAt(gateway);
  return (model) => uses?.(model).includes('chat') ?? false;
}

/** Marks the model of a row, else one that the user picks of those that `only` allows. */
async function mark(
  services: ModelServices,
  row: unknown,
  only: (model: Model) => boolean,
  keep: (gateway: Gateway, model: Model) => Promise<void>,
): Promise<void> {
  const model = modelOf(row) ?? (await pickModel(services, { only }));
  const { gateway } = services.connection.state;
  if (model && gateway) await keep(gateway, model);
}

/** The model of a row, else of the selected row, else one that the user picks. */
export async function givenModel(services: ModelServices, row: unknown): Promise<Model | undefined> {
  const selected = row === forgottenRow ? undefined : services.modelsView.selected;
  return modelOf(row) ?? selected ?? (await pickModel(services));
}

async function dismissOffer({ offers }: ModelServices): Promise<void> {
  if (offers.current) await offers.answer(offers.current);
}

/** The commands of the Models view by their ids. */
export const modelCommands = {
  'models.openSelected': openSelected,
  refreshModels,
  findModel,
  copyModelId,
  'models.pin': pin,
  'models.unpin': unpin,
  'models.offerInChats': offerInChats,
  'models.hideFromChats': hideFromChats,
  'models.showInVsCodeChat': showInVsCodeChat,
  'models.hideFromVsCodeChat': hideFromVsCodeChat,
  'models.dismissOffer': dismissOffer,
} satisfies CommandTable<ModelServices>;
