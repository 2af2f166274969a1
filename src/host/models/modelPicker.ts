import * as vscode from 'vscode';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { ModelUse } from '../../wire/apis/models/modelUse.ts';
import { failureMessage } from '../connection/failureMessage.ts';
import { notifyFailure } from '../connection/failures/failureActions.ts';
import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { type ListRow, pickFromList, type RowButton } from '../kit/display/listPrompt.ts';
import { searchedFacts, useTitle } from './modelDescription.ts';
import { hasOneOwner, modelsOnceGrouped } from './modelGroups.ts';
import type { ModelNotes } from './modelNotes.ts';
import { groupTitle } from './modelRows.ts';
import type { ModelServices } from './modelServices.ts';
import { connected } from './noGateway.ts';

/** Which model is asked for. */
export interface ModelWish {
  /** What it is to be for. Models for other uses are offered on request, or where there are no others. */
  readonly use?: 'chat' | 'video';
  /** The model chosen now. */
  readonly current?: string | undefined;
  /** Whose models; by default the window's gateway's. */
  readonly of?: GatewayConnection | undefined;
  /** Which of them are offered at all. */
  readonly only?: (model: Model) => boolean;
}

interface ModelRow extends ListRow {
  readonly model?: Model;
}

/** Asks for a model of a gateway. Reads the model list first when there is none. */
export async function pickModel(services: ModelServices, wish: ModelWish = {}): Promise<Model | undefined> {
  if (!wish.of && !(await connected(services))) return undefined;
  const connection = wish.of ?? services.connection.current;
  if (!connection) return undefined;
  let showsAll = wish.use === undefined;
  const showAll = () => {
    showsAll = true;
  };
  const rows = async () => {
    const all = await listed(connection);
    const models = wish.only ? all.filter(wish.only) : all;
    const list = new ModelRows(services.modelNotes, connection, wish);
    return showsAll ? list.all(models) : list.fitting(models, showAll);
  };
  const chosen = await pickFromList(rows, {
    title: vscode.l10n.t('Models of {0}', connection.gateway.name),
    placeHolder: vscode.l10n.t('Type to find a model by ID, name, owner or capability'),
  });
  return chosen?.model;
}

async function listed(connection: GatewayConnection): Promise<readonly Model[]> {
  const known = connection.state.models.length > 0 ? connection.state : await connection.refresh();
  if (known.models.length === 0 && known.error) await notifyFailure(failureMessage(known.error));
  return known.models;
}

/** The rows of the list, as things stand now. */
class ModelRows {
  readonly #notes: ModelNotes;
  readonly #connection: GatewayConnection;
  readonly #wish: ModelWish;
  readonly #uses: (model: Model) => readonly ModelUse[];
  readonly #pinned: readonly string[];

  constructor(notes: ModelNotes, connection: GatewayConnection, wish: ModelWish) {
    this.#notes = notes;
    this.#connection = connection;
    this.#wish = wish;
    this.#uses = notes.usesAt(connection.gateway);
    this.#pinned = notes.marks.pinned(connection.gateway);
  }

  /** The models for the use, and a row that shows the others as well. */
  fitting(models: readonly Model[], showAll: () => void): readonly ModelRow[] {
    const fitting = models.filter((model) => this.#fits(model));
    if (fitting.length === 0) return this.all(models);
    const label =
      this.#wish.use === 'chat'
        ? vscode.l10n.t('Show Videos, Embeddings and Others…')
        : vscode.l10n.t('Show Models for Other Uses…');
    const more = { icon: 'ellipsis', label, change: showAll };
    return [...this.#grouped(fitting), ...(fitting.length < models.length ? [more] : [])];
  }

  /** All models; those for another use than the wanted one at the end, by their use. */
  all(models: readonly Model[]): readonly ModelRow[] {
    const others = models.filter((model) => !this.#fits(model));
    const byUse = Map.groupBy(others, (model) => this.#uses(model)[0] ?? 'other');
    return [
      ...this.#grouped(models.filter((model) => this.#fits(model))),
      ...[...byUse].flatMap(([use, those]) => those.map((model) => this.#row(model, useTitle(use)))),
    ];
  }

  #fits(model: Model): boolean {
    const { use } = this.#wish;
    return use === undefined || this.#uses(model).includes(use);
  }

  #grouped(models: readonly Model[]): readonly ModelRow[] {
    const recent = this.#notes.memory.recent(this.#connection.gateway);
    const groups = modelsOnceGrouped(models, { pinned: this.#pinned, recent });
    // An owner of all models tells none from another.
    const told = hasOneOwner(models) ? (model: Model) => ({ ...model, owner: '' }) : (model: Model) => model;
    return groups.flatMap((group) =>
      group.models.map((model) => this.#row(model, groupTitle(group), told(model))),
    );
  }

  #row(model: Model, group: string, told = model): ModelRow {
    const current = model.id === this.#wish.current ? [vscode.l10n.t('current')] : [];
    return {
      model,
      group,
      label: model.id,
      description: [...current, searchedFacts(told, this.#uses(model))].filter(Boolean).join(' · '),
      buttons: [...this.#chatButton(model), this.#pinButton(model)],
    };
  }

  #pinButton({ id }: Model): RowButton {
    const { marks } = this.#notes;
    const { gateway } = this.#connection;
    return this.#pinned.includes(id)
      ? { icon: 'pinned', tooltip: vscode.l10n.t('Unpin Model'), press: () => marks.unpin(gateway, id) }
      : { icon: 'pin', tooltip: vscode.l10n.t('Pin Model'), press: () => marks.pin(gateway, id) };
  }

  #chatButton(model: Model): readonly RowButton[] {
    if (this.#wish.use !== 'chat') return [];
    const offer = (offered: boolean) =>
      this.#notes.marks.offerInChats(this.#connection.gateway, model.id, offered);
    return this.#uses(model).includes('chat')
      ? [{ icon: 'eye-closed', tooltip: vscode.l10n.t('Hide from Chats'), press: () => offer(false) }]
      : [{ icon: 'eye', tooltip: vscode.l10n.t('Offer in Chats'), press: () => offer(true) }];
  }
}
