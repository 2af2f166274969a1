import { randomUUID } from 'node:crypto';
import { errorMessage } from '../../base/errors.ts';
import type { JsonObject } from '../../base/json.ts';
import { valueAt } from '../../base/nestedValues.ts';
import { retryWhileBusy } from '../../storage/retryWhileBusy.ts';
import {
  fromBillionths,
  type SpendingLimit,
  type SpentAmount,
  toSpentAmount,
} from '../../storage/spending/spendingLimit.ts';
import { type EndedTask, type RefusedSpending, SpendingStore } from '../../storage/spending/spendingStore.ts';
import { requestsVideo } from '../../wire/apis/interactions/videoRoute.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import { findServiceTier } from '../../wire/apis/models/serviceTier.ts';
import { estimateRequestTokens, readRequestedVideos } from '../../wire/apis/requestedUsage.ts';
import { type TaskFormat, videoTaskFormats } from '../../wire/apis/taskRecordFormats.ts';
import { readTextFormatId } from '../../wire/apis/textFormats.ts';
import { HttpError } from '../http/httpError.ts';
import type { RequestBody } from '../http/requestBody.ts';
import type { ModelPrices } from '../models/modelPrices.ts';
import type { UpstreamTask } from '../tasks/upstreamTask.ts';
import type { SpendingCall } from '../upstreams/upstream.ts';
import { readCountedMembers } from './countedBody.ts';
import { type FurtherModel, findSelectableModels } from './furtherModels.ts';
import { formatUse, limitError } from './limitError.ts';
import type { ExchangeCost, PlannedCall } from './plannedCall.ts';
import { computeReplyPrice, computeSpentAmount, hasCounts } from './replyCost.ts';
import { ReplyTokens } from './replyTokens.ts';

type TokenLimits = Pick<Model, 'contextLength' | 'maxOutput'>;

interface SpendingRules {
  readonly limits: readonly SpendingLimit[];
  /** The prices of a model, by the upstream's own ID. */
  readonly findPrices: (upstream: string, model: string) => ModelPrices | undefined;
  /** The limits of a model in tokens, as the upstream's list reports them. */
  readonly findTokenLimits: (upstream: string, model: string) => TokenLimits | undefined;
  /** Resolves when the upstream has listed its models, or failed to. */
  readonly loadModels: (upstream: string) => Promise<void>;
}

/** Counts the costs of all requests to models, and refuses a request that exceeds a limit of the configuration. */
export class GatewaySpending {
  readonly #file: string;
  readonly #log: (line: string) => void;
  readonly #onTaskCost: (cost: ExchangeCost, credential: string) => void;
  readonly #now: () => number;
  #rules: SpendingRules = {
    limits: [],
    findPrices: () => undefined,
    findTokenLimits: () => undefined,
    loadModels: async () => {},
  };
  #opened: SpendingStore | undefined;

  /**
   * @param file opened only if there are limits
   * @param onTaskCost called with the cost of a reply in the background when it has ended
   */
  constructor(
    file: string,
    log: (line: string) => void,
    onTaskCost: (cost: ExchangeCost, credential: string) => void = () => {},
    now: () => number = Date.now,
  ) {
    this.#file = file;
    this.#log = log;
    this.#onTaskCost = onTaskCost;
    this.#now = now;
  }

  /** Replaces the limits and prices of the configuration. Counted requests stay counted. */
  setRules(rules: SpendingRules): void {
    this.#rules = rules;
  }

  get isLimited(): boolean {
    return this.#rules.limits.length > 0;
  }

  /**
   * Estimates the costs of a request, at the dearest of the models that its body names.
   *
   * @param readsBody whether the body of a text request is read, which takes time; otherwise only the prices are
   * found
   */
  plan(call: SpendingCall, initiator: string, readsBody: boolean): PlannedCall {
    const { upstream, model, body, task, format } = call;
    const isVideo = task !== undefined && makesVideo(task, body);
    // The price of a video depends on its request.
    const isRead = readsBody || isVideo;
    const request = readsBody ? readCountedMembers(body, isVideo) : isVideo ? readAnyMembers(body) : {};
    const selectable = readsBody ? findSelectableModels(request, isVideo) : [];
    const about = {
      gateway: upstream,
      initiator,
      model,
      isTask: task !== undefined,
      isVideo,
      isRead,
    };
    const findPrices = (id: string) => (id === '' ? undefined : this.#rules.findPrices(upstream, id));
    if (isVideo)
      return selectDearest(model, selectable, (id) => {
        const prices = findPrices(id);
        const amount = toSpentAmount(prices && computeVideoPrice(prices, request, call), 0);
        return { ...about, prices, least: amount, most: amount, maxInput: 0, maxOutput: 0 };
      });
    // Only the counts of its reply are used.
    if (!isRead) {
      const unknown: SpentAmount = { tokens: 0 };
      return {
        ...about,
        prices: findPrices(model),
        least: unknown,
        most: unknown,
        maxInput: 0,
        maxOutput: 0,
      };
    }
    const models = [model, ...selectable.map(({ id }) => id)];
    const { input, maxInput, maxOutput, serviceTier } = estimateRequestTokens(request, {
      ...findLargestLimits(models.map((id) => this.#rules.findTokenLimits(upstream, id))),
      format: format ?? readTextFormatId(task),
    });
    const tier = findServiceTier(serviceTier) ?? 'priority';
    // A cheaper tier may not be granted.
    const service = tier === 'priority' ? tier : undefined;
    return selectDearest(model, selectable, (id) => {
      const prices = findPrices(id);
      const planned = (input: number, output: number) =>
        toSpentAmount(
          computeReplyPrice(prices, { inputTokens: input, outputTokens: output }, service),
          input + output,
        );
      const amounts = { least: planned(input, 0), most: planned(maxInput, maxOutput) };
      return { ...about, prices, service, ...amounts, maxInput, maxOutput };
    });
  }

  /**
   * Counts a request with its maximum.
   *
   * @returns the ID for `settle`
   * @throws {HttpError} 429 if a limit refuses it, 403 if its price is unknown
   */
  async reserve(
    call: SpendingCall,
    initiator: string,
  ): Promise<{ readonly id: string; readonly planned: PlannedCall }> {
    await this.#rules.loadModels(call.upstream);
    const planned = this.plan(call, initiator, true);
    const id = randomUUID();
    const { taskId } = call;
    const model = planned.dearest?.id || call.model;
    const task = taskId === undefined ? undefined : { id: taskId, ...(!planned.isVideo && { model }) };
    let refused: RefusedSpending | undefined;
    try {
      refused = await retryWhileBusy(() => this.#store.reserve(id, planned, this.#rules.limits, task));
    } catch (error) {
      this.#log(`A request was refused, because it could not be counted: ${errorMessage(error)}`);
      throw notCountedError();
    }
    if (refused) throw limitError(refused, planned, this.#now());
    return { id, planned };
  }

  /** @param spent undefined if certainly nothing was made */
  settle(id: string, planned: PlannedCall, spent: SpentAmount | undefined): void {
    void this.#count((store) => store.settle(id, spent, planned));
  }

  /** Counts the end of a task, from its upstream's record. */
  settleTask(
    { id, upstream, format, model: servedModel }: Pick<UpstreamTask, 'id' | 'upstream' | 'format' | 'model'>,
    ended: EndedTask,
    record: JsonObject,
  ): void {
    if (!this.isLimited) return;
    const { usage, service_tier } = record;
    const reader = new ReplyTokens();
    reader.add(JSON.stringify({ usage, service_tier }));
    const tokens = reader.reported;
    const text = new ReplyTokens(readTextFormatId(format));
    if (tokens) text.add(JSON.stringify(record));
    const size = { tokens, isCut: false, textLength: text.measureText() };
    let usd = ended.costUsd || undefined;
    let credential: string | undefined;
    const computeSpent: EndedTask['computeSpent'] = ({ model, initiator }, most) => {
      credential = initiator;
      if (!hasCounts(size)) return undefined;
      const spent = computeSpentAmount(
        {
          least: most,
          most,
          isTask: true,
          isVideo: false,
          maxInput: 0,
          maxOutput: most.tokens,
          isRead: true,
          prices: this.#rules.findPrices(upstream, model),
        },
        size,
      );
      if (spent.amount === undefined) return { ...most, tokens: spent.tokens };
      usd = fromBillionths(spent.amount);
      return spent;
    };
    // After a restart, the prices may not have been listed yet.
    const isReady = tokens && this.#rules.loadModels(upstream);
    void this.#count((store) => store.settleTask(id, { ...ended, computeSpent }), isReady).then(() => {
      if (credential !== undefined)
        this.#onTaskCost({ upstream, model: servedModel, usd, tokens }, credential);
    });
  }

  #count(change: (store: SpendingStore) => void, isReady?: Promise<void>): Promise<void> {
    const count = () => retryWhileBusy(() => change(this.#store));
    return (isReady?.then(count) ?? count())
      .then(() => this.#logNotices())
      .catch((error) => this.#log(`A reply could not be counted: ${errorMessage(error)}`));
  }

  async #logNotices(): Promise<void> {
    try {
      for (const use of await retryWhileBusy(() => this.#store.takeNotices(this.#rules.limits)))
        this.#log(formatUse(use));
    } catch (error) {
      this.#log(`The use of the spending limits could not be read: ${errorMessage(error)}`);
    }
  }

  close(): void {
    this.#opened?.close();
    this.#opened = undefined;
  }

  get #store(): SpendingStore {
    this.#opened ??= new SpendingStore(this.#file, this.#now, () =>
      this.#log(
        'The file with the counts of the spending limits was damaged. Earlier requests may be missing.',
      ),
    );
    return this.#opened;
  }
}

/** The limits of the largest models; undefined if one of them is unknown. */
function findLargestLimits(limits: readonly (TokenLimits | undefined)[]): TokenLimits {
  const [contextLength, maxOutput] = (['contextLength', 'maxOutput'] as const).map((name) => {
    const values = limits.map((each) => each?.[name]);
    return values.every((value) => value !== undefined) ? Math.max(...values) : undefined;
  });
  return {
    ...(contextLength !== undefined && { contextLength }),
    ...(maxOutput !== undefined && { maxOutput }),
  };
}

/** Selects the plan with the highest maximum. An unknown price is the highest. */
function selectDearest(
  model: string,
  selectable: readonly FurtherModel[],
  plan: (id: string) => PlannedCall,
): PlannedCall {
  const maximum = ({ most }: PlannedCall) => most.amount ?? Number.POSITIVE_INFINITY;
  return selectable
    .map((dearest): PlannedCall => ({ ...plan(dearest.id), dearest }))
    .reduce((one, other) => (maximum(other) > maximum(one) ? other : one), plan(model));
}

function makesVideo(task: TaskFormat, body: RequestBody): boolean {
  if (task === 'interactions') return requestsVideo(body.readField('response_format'));
  return videoTaskFormats.includes(task);
}

/** Reads the members of a request that no limit counts. */
function readAnyMembers(body: RequestBody): JsonObject {
  try {
    return body.readUniqueMembers();
  } catch {
    return {};
  }
}

/** Computes the price of all videos of a request; undefined if it is unknown. */
function computeVideoPrice(
  { perRequest, perSecond }: ModelPrices,
  request: unknown,
  { seconds: originalSeconds = 0 }: SpendingCall,
): number | undefined {
  const readField = (name: string) => valueAt(request, [name]);
  const { count, seconds = 0, isUnclear } = readRequestedVideos(readField);
  if (isUnclear) return undefined;
  if (perSecond === undefined) return perRequest && perRequest * count;
  const length = Math.max(originalSeconds, seconds);
  return length > 0 ? ((perRequest ?? 0) + perSecond * length) * count : undefined;
}

function notCountedError(): HttpError {
  return new HttpError({
    status: 503,
    message:
      'The request could not be counted for the spending limits of this local gateway, so nothing was sent. See its log.',
    type: 'server_error',
    code: 'spending_not_counted',
    neverSent: true,
  });
}
