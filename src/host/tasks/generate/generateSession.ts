import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import * as vscode from 'vscode';
import type { JsonObject } from '../../../base/json.ts';
import type { Image } from '../../../conversations/conversation/reply.ts';
import type { Frame, Frames } from '../../../wire/apis/shared/videoRoute.ts';
import { defaultVideoRoute, type VideoRouteId, videoRoute } from '../../../wire/apis/videoRoutes.ts';
import type { Connection } from '../../connection/connection.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { joinNames } from '../../kit/display/joinNames.ts';
import { UnlistedModels } from '../../models/unlistedModels.ts';
import { nameField } from '../task/videoForm.ts';
import type { FormContent, FormDraft } from './formDraft.ts';
import type { FormMemory, RememberedForm } from './formMemory.ts';
import { findFormProblems, type RequestProblem } from './generateChecks.ts';
import { buildTaskRequest, splitRequest } from './generateRequest.ts';
import { convertForm, copyPrompt, type RouteChange } from './routeChange.ts';

/** An earlier request, to fill the form with. */
export interface Recipe {
  readonly route: VideoRouteId;
  readonly model: string;
  /** The body as it was sent. */
  readonly request: JsonObject;
}

/** The complete request that the form defines. */
export interface Proposal {
  readonly route: VideoRouteId;
  readonly model: string;
  readonly body: JsonObject;
  readonly problems: readonly RequestProblem[];
}

/** The state of one Generate page: model, route, values and pictures. The ledger contains the tasks. */
export class GenerateSession {
  readonly #connection: Connection;
  readonly #memory: FormMemory;
  readonly #draft: Pick<FormDraft, 'read' | 'storeSoon' | 'flush'>;
  readonly #onDidChange = new vscode.EventEmitter<'form' | 'target' | 'pictures'>();
  readonly #subscription: vscode.Disposable;
  readonly #unlistedModels = new UnlistedModels();
  #unlisted: string | undefined;
  #chosenModel: string | undefined;
  #route: VideoRouteId = defaultVideoRoute;
  #values: JsonObject | undefined;
  /** The values that the form had in other routes, for this model. */
  readonly #valuesByRoute = new Map<VideoRouteId, JsonObject>();
  #remark: string | undefined;
  #frames: Frames = {};
  #count = 1;
  /**
   * The content that was last sent or filled in from a request; undefined if the form was unsent before a reload.
   */
  #sent: Pick<FormContent, 'values' | 'frames'> | undefined;
  #submissionToken: string = randomUUID();

  /** Fires with the part of the page that changed. */
  readonly onDidChange = this.#onDidChange.event;

  constructor(
    connection: Connection,
    memory: FormMemory,
    draft: Pick<FormDraft, 'read' | 'storeSoon' | 'flush'>,
  ) {
    this.#connection = connection;
    this.#memory = memory;
    this.#draft = draft;
    const content = draft.read();
    if (content && (content.isUnsent || Object.keys(content.frames).length > 0)) this.#restore(content);
    else this.#loadModel(undefined);
    this.#subscription = connection.onDidChange(() => this.#handleConnectionChange());
  }

  get model(): string | undefined {
    return this.#chosenModel;
  }

  get route(): VideoRouteId {
    return this.#route;
  }

  get count(): number {
    return this.#count;
  }

  get frames(): Frames {
    return this.#frames;
  }

  /** A token for the next submission, valid once. */
  get submissionToken(): string {
    return this.#submissionToken;
  }

  /** The request's body without the model and the pictures. */
  get values(): JsonObject {
    return this.#values ?? videoRoute(this.#route).defaults;
  }

  setValues(values: JsonObject): void {
    this.#values = values;
    this.#storeDraft();
  }

  setCount(count: number): void {
    this.#count = count;
    this.#storeDraft();
  }

  setFrame(frame: Frame, image: Image | undefined): void {
    const { [frame]: _, ...others } = this.#frames;
    this.#frames = image ? { ...others, [frame]: image } : others;
    this.#storeDraft();
    this.#onDidChange.fire('pictures');
  }

  /** Changes the model. Keeps the prompt; the other values are the last values of the new model, if it has any. */
  chooseModel(model: string): void {
    if (model === this.#chosenModel) return;
    const from = { route: this.#route, values: this.values };
    const hadModelBefore = this.#chosenModel !== undefined;
    this.#loadModel(model);
    if (hadModelBefore) this.#carryOver(from);
    this.#storeDraft();
    this.#onDidChange.fire('form');
  }

  /** Changes the route, and converts the values that the new route also supports. */
  chooseRoute(route: VideoRouteId): void {
    if (route === this.#route) return;
    const from = { route: this.#route, values: this.values };
    const shownValues = this.#valuesByRoute.get(route);
    const to = { route, values: shownValues ?? this.#readRemembered(route) ?? videoRoute(route).defaults };
    const { values, dropped } = convertForm(from, to, shownValues !== undefined);
    this.#valuesByRoute.set(from.route, from.values);
    this.#route = route;
    this.#values = values;
    this.#remark = describeDropped(from.route, route, dropped, this.#frames);
    this.#storeDraft();
    this.#onDidChange.fire('form');
  }

  /** A text about the values that the change of the route dropped; undefined if none was dropped. */
  get remark(): string | undefined {
    return this.#remark;
  }

  /** Whether the form has a prompt, other values or pictures that would be lost if another request replaced them. */
  get isUnsent(): boolean {
    const { values, frames } = this.#sent ?? { values: videoRoute(this.#route).defaults, frames: {} };
    return !isDeepStrictEqual([this.values, this.#frames], [values, frames]);
  }

  /** Fills the form with an earlier request. */
  fillFrom({ route, model, request }: Recipe): void {
    const { values, frames } = splitRequest(route, request);
    this.#forgetRoutes();
    this.#chosenModel = model;
    this.#route = route;
    this.#values = values;
    this.#frames = frames;
    this.#markSent();
    this.#onDidChange.fire('form');
    this.#onDidChange.fire('pictures');
  }

  /** Builds the request that would be sent now, with its problems. */
  createProposal(): Proposal {
    const model = this.#chosenModel ?? '';
    const body = buildTaskRequest(this.#route, model, this.values, this.#frames);
    return { route: this.#route, model, body, problems: findFormProblems(this.#route, body) };
  }

  /**
   * Consumes a submission token.
   *
   * @returns false if it is not the current token, because it was used before
   */
  consumeToken(submissionToken: string): boolean {
    if (submissionToken !== this.#submissionToken) return false;
    this.#submissionToken = randomUUID();
    return true;
  }

  /** The model of the last warning, while this model is chosen. */
  get unlisted(): string | undefined {
    return this.#unlisted === this.#chosenModel ? this.#unlisted : undefined;
  }

  /** Whether to warn that the gateway does not list the model. True once for each model. */
  async shouldWarnUnlisted(connection: GatewayConnection): Promise<boolean> {
    const model = this.#chosenModel;
    const shouldWarn = model !== undefined && (await this.#unlistedModels.shouldWarn(connection, model));
    this.#unlisted = shouldWarn ? model : undefined;
    this.#onDidChange.fire('target');
    return shouldWarn;
  }

  /** Stores the form for the next use of this model. */
  async remember(): Promise<void> {
    this.#markSent();
    const { gateway } = this.#connection.state;
    if (!gateway || this.#chosenModel === undefined) return;
    const form = { route: this.#route, values: this.values };
    await this.#memory.remember(gateway, this.#chosenModel, form);
  }

  dispose(): void {
    void this.#draft.flush();
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #restore({ model, route, values, count, frames, isUnsent }: FormContent): void {
    this.#chosenModel = model;
    this.#route = route;
    this.#values = values;
    this.#count = count;
    this.#frames = frames;
    if (!isUnsent) this.#sent = { values, frames };
  }

  #markSent(): void {
    this.#sent = { values: this.values, frames: this.#frames };
    this.#storeDraft();
  }

  #storeDraft(): void {
    const { values, isUnsent } = this;
    this.#draft.storeSoon({
      model: this.#chosenModel,
      route: this.#route,
      values,
      isUnsent,
      count: this.#count,
      frames: this.#frames,
    });
  }

  #handleConnectionChange(): void {
    const before = this.#chosenModel;
    this.#unlisted = undefined;
    if (before === undefined) this.#loadSuggestedModel();
    this.#onDidChange.fire(before === this.#chosenModel ? 'target' : 'form');
  }

  /** Loads the suggested model. Keeps the values that the user typed before a model was known. */
  #loadSuggestedModel(): void {
    const typedForm = this.isUnsent ? { route: this.#route, values: this.values } : undefined;
    this.#loadModel(undefined);
    if (typedForm && this.#chosenModel !== undefined) this.#carryOver(typedForm);
  }

  #carryOver(from: RememberedForm): void {
    const route = this.#route;
    const modelValues = this.#values;
    const values = modelValues ?? videoRoute(route).defaults;
    if (modelValues !== undefined) {
      this.#values = copyPrompt(from, { route, values });
    } else if (route === from.route) {
      this.#values = from.values;
    } else {
      const change = convertForm(from, { route, values }, false);
      this.#values = change.values;
      this.#remark = describeDropped(from.route, route, change.dropped, this.#frames);
    }
  }

  #readRemembered(route: VideoRouteId): JsonObject | undefined {
    const { gateway } = this.#connection.state;
    const model = this.#chosenModel;
    return gateway && model !== undefined ? this.#memory.readValues(gateway, model, route) : undefined;
  }

  #forgetRoutes(): void {
    this.#valuesByRoute.clear();
    this.#remark = undefined;
  }

  #loadModel(model: string | undefined): void {
    const { gateway, models } = this.#connection.state;
    this.#forgetRoutes();
    this.#chosenModel = model ?? (gateway && this.#memory.suggestModel(gateway, models));
    if (!gateway || this.#chosenModel === undefined) return;
    this.#route = this.#memory.readRoute(gateway, this.#chosenModel);
    this.#values = this.#memory.readValues(gateway, this.#chosenModel, this.#route);
    if (this.#values) this.#sent = { values: this.#values, frames: {} };
  }
}

/** Lists the fields and pictures that a change of the route dropped; undefined if there are none. */
function describeDropped(
  from: VideoRouteId,
  to: VideoRouteId,
  dropped: RouteChange['dropped'],
  frames: Frames,
): string | undefined {
  const { label, frames: supported } = videoRoute(to);
  const used = videoRoute(from).frames.filter((frame) => frames[frame] !== undefined);
  const pictures = used.filter((frame) => !supported.includes(frame));
  const names = [...dropped.map((path) => nameField(from, path)), ...pictures.map(nameFrame)];
  return names.length === 0
    ? undefined
    : vscode.l10n.t('Omitted, because {0} does not support them: {1}.', label, joinNames(names));
}

function nameFrame(frame: Frame): string {
  return frame === 'first' ? vscode.l10n.t('First frame') : vscode.l10n.t('Last frame');
}
