import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { ModelUse } from '../../wire/apis/models/modelUse.ts';
import { failureMessage } from '../connection/failureMessage.ts';
import { notifyFailure } from '../connection/failures/notifyFailure.ts';
import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { notify } from '../kit/display/notify.ts';
import { type ListRow, pickFromList, type RowButton } from '../kit/display/pickFromList.ts';
import { runCommand } from '../kit/manifest/contributions.ts';
import type { ModelChoices } from './modelChoices.ts';
import { searchableFacts, useTitle } from './modelDescription.ts';
import { disjointModelGroups, hasOneOwner } from './modelGroups.ts';
import { groupTitle } from './modelRows.ts';
import type { ModelServices } from './modelServices.ts';

/** Options that select and describe the offered models. */
interface PickModelOptions {
  /** The use of the offered models. Models for other uses are offered on request, or if there are no others. */
  readonly use?: 'chat' | 'video';
  /** The current model. */
  readonly current?: string | undefined;
  /** The connection whose models are listed; by default the window's gateway. */
  readonly of?: GatewayConnection | undefined;
  /** Filters the offered models. */
  readonly only?: (model: Model) => boolean;
}

interface PickerRow extends ListRow {
  readonly model?: Model;
}

/** Lets the user pick a model of a gateway. Reads the model list first if no models are known. */
export async function pickModel(
  services: ModelServices,
  options: PickModelOptions = {},
): Promise<Model | undefined> {
  if (!options.of && !(await ensureGateway(services))) return undefined;
  const connection = options.of ?? services.connection.current;
  if (!connection) return undefined;
  let showsAll = options.use === undefined;
  const showAll = () => {
    showsAll = true;
  };
  const rows = async () => {
    const all = await listModels(connection);
    const models = options.only ? all.filter(options.only) : all;
    const list = new PickerRows(services.modelChoices, connection, options);
    return showsAll ? list.all(models) : list.fitting(models, showAll);
  };
  const chosen = await pickFromList(rows, {
    title: vscode.l10n.t('Models of {0}', connection.gateway.name),
    placeHolder: vscode.l10n.t('Type to find a model by ID, name, owner or capability'),
  });
  return chosen?.model;
}

async function listModels(connection: GatewayConnection): Promise<readonly Model[]> {
  const { models, error } =
    connection.state.models.length > 0 ? connection.state : await connection.refresh();
  if (models.length === 0 && error) await notifyFailure(failureMessage(error));
  return models;
}

/** Creates the rows of the list, from the state at construction. */
class PickerRows {
  readonly #modelChoices: ModelChoices;
  readonly #connection: GatewayConnection;
  readonly #options: PickModelOptions;
  readonly #uses: (model: Model) => readonly ModelUse[];
  readonly #pinned: readonly string[];

  constructor(modelChoices: ModelChoices, connection: GatewayConnection, options: PickModelOptions) {
    this.#modelChoices = modelChoices;
    this.#connection = connection;
    this.#options = options;
    this.#uses = modelChoices.usesLookup(connection.gateway);
    this.#pinned = modelChoices.marks.pinned(connection.gateway);
  }

  /** Creates the rows of the models for the use, and a row that adds the other models. */
  fitting(models: readonly Model[], showAll: () => void): readonly PickerRow[] {
    const fitting = models.filter((model) => this.#fits(model));
    if (fitting.length === 0) return this.all(models);
    const label =
      this.#options.use === 'chat'
        ? vscode.l10n.t('Show Videos, Embeddings and Others…')
        : vscode.l10n.t('Show Models for Other Uses…');
    const more = { icon: 'ellipsis', label, change: showAll };
    return [...this.#grouped(fitting), ...(fitting.length < models.length ? [more] : [])];
  }

  /** Creates the rows of all models. Models for other uses are last, grouped by their use. */
  all(models: readonly Model[]): readonly PickerRow[] {
    const others = models.filter((model) => !this.#fits(model));
    const byUse = Map.groupBy(others, (model) => this.#uses(model)[0] ?? 'other');
    return [
      ...this.#grouped(models.filter((model) => this.#fits(model))),
      ...[...byUse].flatMap(([use, group]) => group.map((model) => this.#row(model, useTitle(use)))),
    ];
  }

  #fits(model: Model): boolean {
    const { use } = this.#options;
    return use === undefined || this.#uses(model).includes(use);
  }

  #grouped(models: readonly Model[]): readonly PickerRow[] {
    const recent = this.#modelChoices.memory.recent(this.#connection.gateway);
    const groups = disjointModelGroups(models, { pinned: this.#pinned, recent });
    // An owner shared by all models does not distinguish them.
    const describedModel = hasOneOwner(models)
      ? (model: Model) => ({ ...model, owner: '' })
      : (model: Model) => model;
    return groups.flatMap((group) =>
      group.models.map((model) => this.#row(model, groupTitle(group), describedModel(model))),
    );
  }

  #row(model: Model, group: string, described = model): PickerRow {
    const current = model.id === this.#options.current ? [vscode.l10n.t('current')] : [];
    return {
      model,
      group,
      label: model.id,
      description: [...current, searchableFacts(described, this.#uses(model))].filter(Boolean).join(' · '),
      buttons: [...this.#chatButton(model), this.#pinButton(model)],
    };
  }

  #pinButton({ id }: Model): RowButton {
    const { marks } = this.#modelChoices;
    const { gateway } = this.#connection;
    return this.#pinned.includes(id)
      ? { icon: 'pinned', tooltip: vscode.l10n.t('Unpin Model'), press: () => marks.pin(gateway, id, false) }
      : { icon: 'pin', tooltip: vscode.l10n.t('Pin Model'), press: () => marks.pin(gateway, id, true) };
  }

  #chatButton(model: Model): readonly RowButton[] {
    if (this.#options.use !== 'chat') return [];
    const offer = (offered: boolean) =>
      this.#modelChoices.marks.offerInChats(this.#connection.gateway, model.id, offered);
    return this.#uses(model).includes('chat')
      ? [{ icon: 'eye-closed', tooltip: vscode.l10n.t('Hide from Chats'), press: () => offer(false) }]
      : [{ icon: 'eye', tooltip: vscode.l10n.t('Offer in Chats'), press: () => offer(true) }];
  }
}

/** Whether the window has a gateway. If not, offers to connect to one. */
export async function ensureGateway({ connection }: ModelServices): Promise<boolean> {
  if (connection.state.gateway) return true;
  const connect = vscode.l10n.t('Connect to a Gateway…');
  const demo = vscode.l10n.t('Try the Demo');
  const chosen = await notify('info', vscode.l10n.t('No gateway is connected yet.'), connect, demo);
  if (chosen === connect) await runCommand('connect');
  else if (chosen === demo) await runCommand('tryDemo');
  return connection.state.gateway !== undefined;
}
