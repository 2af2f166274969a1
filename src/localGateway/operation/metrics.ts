import type { Usage } from '../../wire/chatEvent.ts';
import type { ServedExchangeRecord } from '../server/exchangeNotes.ts';
import type { ExchangeCost } from '../server/plannedCall.ts';

/** The most models with separate labels, so that requests for ever more models do not fill the memory. */
const maxModels = 200;
const maxModelLength = 200;
const otherModels = 'other';

/** The bounds of the buckets of durations, in seconds. */
const bounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** The values of one model of one upstream. */
interface ModelValues {
  /** The number of requests, by route and status. */
  readonly requests: Map<string, Map<number, Sum>>;
  durations?: Distribution;
  firstBytes?: Distribution;
  inputTokens?: Sum;
  outputTokens?: Sum;
  /** By the name of the credential. */
  readonly costs: Map<string, CostSums>;
}

interface CostSums {
  usd?: Sum;
  unpricedReplies?: Sum;
}

/** The counts of the gateway's requests. */
export class Metrics {
  /** The media type of the text, which is the text format of Prometheus. */
  readonly type = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #requests = new Counter('model_gateway_requests_total', 'Requests that have ended.');
  readonly #errors = new Counter(
    'model_gateway_request_errors_total',
    'Requests that ended with a status of 400 or more, or were cut off.',
  );
  readonly #durations = new Histogram(
    'model_gateway_request_duration_seconds',
    'Time from the head of a request to the end of its response.',
    bounds,
  );
  readonly #firstBytes = new Histogram(
    'model_gateway_first_byte_seconds',
    'Time from the head of a request to the first byte of the body of its response.',
    bounds,
  );
  readonly #tokens = new Counter('model_gateway_tokens_total', 'Tokens that replies reported.');
  readonly #cost = new Counter(
    'model_gateway_cost_usd_total',
    'Costs of replies in US dollars, as reported or by price.',
  );
  readonly #unpriced = new Counter('model_gateway_unpriced_replies_total', 'Replies whose cost is unknown.');
  readonly #skipped = new Counter(
    'model_gateway_skipped_attempts_total',
    'Attempts at a model of an alias after which the alias used another model.',
  );
  readonly #openGauge: Gauge;
  readonly #startGauge: Gauge;
  readonly #memoryGauge = new Gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  readonly #cpuGauge = new Gauge('process_cpu_seconds', 'Processor time of the process.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  readonly #models = new Set<string>();
  /** The cached values by upstream and model, because formatting labels takes longer than counting. */
  readonly #valuesByUpstream = new Map<string, Map<string, ModelValues>>();
  #openRequests = 0;

  /** @param startedAt milliseconds since 1970 */
  constructor(startedAt: number) {
    this.#openGauge = new Gauge(
      'model_gateway_open_requests',
      'Requests in progress.',
      () => this.#openRequests,
    );
    this.#startGauge = new Gauge(
      'process_start_time_seconds',
      'Start time of the process in seconds since 1970.',
      () => startedAt / 1000,
    );
  }

  /** The number of requests in progress. */
  get openRequests(): number {
    return this.#openRequests;
  }

  begin(): void {
    this.#openRequests += 1;
  }

  end(record: ServedExchangeRecord): void {
    this.#openRequests -= 1;
    const { route, status, isCut, tokens, costs = [], skipped = [] } = record;
    const labels = { model: this.#selectModelLabel(record), upstream: record.upstream ?? '' };
    for (const { reason, upstream, model } of skipped)
      this.#skipped.getSum({ model: this.#getModelLabel(model), upstream, reason }).value += 1;
    for (const cost of costs) this.#addReplyCost(cost, record);
    const modelValues = this.#getValues(labels);
    const sumsByStatus = getOrCreate(modelValues.requests, route, () => new Map<number, Sum>());
    getOrCreate(sumsByStatus, status, () =>
      this.#requests.getSum({ ...labels, route, status: String(status) }),
    ).value += 1;
    if (isCut || status >= 400)
      this.#errors.getSum({ ...labels, reason: isCut ? 'cut' : String(status) }).value += 1;
    // Durations are measured only for upstreams, because refusals and lists of models would distort them.
    if (record.upstream === undefined) return;
    modelValues.durations ??= this.#durations.getDistribution(labels);
    modelValues.durations.observe(record.ms / 1000);
    if (record.firstByteMs !== undefined) {
      modelValues.firstBytes ??= this.#firstBytes.getDistribution(labels);
      modelValues.firstBytes.observe(record.firstByteMs / 1000);
    }
    this.#addTokens(modelValues, tokens, labels);
  }

  #addTokens(values: ModelValues, { inputTokens, outputTokens }: Usage = {}, labels: Labels): void {
    if (inputTokens) {
      values.inputTokens ??= this.#tokens.getSum({ ...labels, direction: 'input' });
      values.inputTokens.value += inputTokens;
    }
    if (outputTokens) {
      values.outputTokens ??= this.#tokens.getSum({ ...labels, direction: 'output' });
      values.outputTokens.value += outputTokens;
    }
  }

  /** Formats all metrics in the text format of Prometheus. */
  formatText(): string {
    const families = [
      this.#requests,
      this.#errors,
      this.#durations,
      this.#firstBytes,
      this.#tokens,
      this.#cost,
      this.#unpriced,
      this.#skipped,
      this.#openGauge,
      this.#startGauge,
      this.#memoryGauge,
      this.#cpuGauge,
    ];
    return `${families.flatMap((family) => family.formatLines()).join('\n')}\n`;
  }

  #addReplyCost(cost: ExchangeCost, record: ServedExchangeRecord): void {
    const model =
      record.alias === undefined
        ? this.#selectModelLabel(record)
        : this.#getModelLabel(`${cost.upstream}/${cost.model}`);
    this.#addCost(model, cost, record.credential ?? '');
  }

  /** Adds the cost and the tokens of a reply in the background, which are known only after its request. */
  readonly addTaskCost = (cost: ExchangeCost, credential: string): void => {
    const labels = { model: this.#getModelLabel(cost.model), upstream: cost.upstream };
    this.#addCost(labels.model, cost, credential);
    this.#addTokens(this.#getValues(labels), cost.tokens, labels);
  };

  #addCost(model: string, { upstream, usd }: ExchangeCost, credential: string): void {
    const sums = getOrCreate(this.#getValues({ model, upstream }).costs, credential, (): CostSums => ({}));
    const labels = { model, upstream, credential };
    if (usd === undefined) {
      sums.unpricedReplies ??= this.#unpriced.getSum(labels);
      sums.unpricedReplies.value += 1;
    } else {
      sums.usd ??= this.#cost.getSum(labels);
      sums.usd.value += usd;
    }
  }

  #getValues({ model, upstream }: { readonly model: string; readonly upstream: string }): ModelValues {
    const models = getOrCreate(this.#valuesByUpstream, upstream, () => new Map<string, ModelValues>());
    return getOrCreate(models, model, () => ({ requests: new Map(), costs: new Map() }));
  }

  /** Selects the label of a model. A model gets its own label with its first reply that is not an error. */
  #selectModelLabel({ model, status }: ServedExchangeRecord): string {
    if (model === undefined) return '';
    return status < 400 || this.#models.has(model) ? this.#getModelLabel(model) : otherModels;
  }

  #getModelLabel(model: string): string {
    if (this.#models.has(model)) return model;
    if (model.length > maxModelLength || this.#models.size >= maxModels) return otherModels;
    this.#models.add(model);
    return model;
  }
}

/** Returns the value of a key, and creates it at its first use. */
function getOrCreate<Key, Value>(values: Map<Key, Value>, key: Key, create: () => Value): Value {
  const existing = values.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  values.set(key, created);
  return created;
}

type Labels = Readonly<Record<string, string>>;

/** A metric with all its combinations of labels. */
interface MetricFamily {
  formatLines(): readonly string[];
}

/** The sum for one combination of labels. */
interface Sum {
  value: number;
}

/** A metric with a sum that only grows, for each combination of labels. */
class Counter implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #sums = new Map<string, Sum>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /**
   * Returns the sum for these labels, which frequent callers can store and increase. The sum is listed from now on.
   */
  getSum(labels: Labels): Sum {
    return getOrCreate(this.#sums, formatLabels(labels), () => ({ value: 0 }));
  }

  formatLines(): readonly string[] {
    const values = [...this.#sums].map(([labels, { value }]) => `${this.#name}{${labels}} ${value}`);
    return [...formatHeading(this.#name, this.#help, 'counter'), ...values];
  }
}

/** The distribution of values for one combination of labels. */
class Distribution {
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
  }

  observe(value: number): void {
    const index = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = index < 0 ? this.#bounds.length : index;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

/** A metric with the number of values up to each bound, for each combination of labels. */
class Histogram implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #values = new Map<string, Distribution>();

  /** @param bounds in increasing order */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  /**
   * Returns the distribution for these labels, which frequent callers can store and extend. It is listed from now
   * on.
   */
  getDistribution(labels: Labels): Distribution {
    return getOrCreate(this.#values, formatLabels(labels), () => new Distribution(this.#bounds));
  }

  formatLines(): readonly string[] {
    const values = [...this.#values].flatMap(([labels, { counts, sum }]) => {
      let count = 0;
      const buckets = counts.map((own, i) => {
        count += own;
        return `${this.#name}_bucket{${labels},le="${this.#bounds[i] ?? '+Inf'}"} ${count}`;
      });
      return [...buckets, `${this.#name}_sum{${labels}} ${sum}`, `${this.#name}_count{${labels}} ${count}`];
    });
    return [...formatHeading(this.#name, this.#help, 'histogram'), ...values];
  }
}

/** A metric with one current value. */
class Gauge implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #read: () => number;

  constructor(name: string, help: string, read: () => number) {
    this.#name = name;
    this.#help = help;
    this.#read = read;
  }

  formatLines(): readonly string[] {
    return [...formatHeading(this.#name, this.#help, 'gauge'), `${this.#name} ${this.#read()}`];
  }
}

function formatHeading(name: string, help: string, type: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function formatLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => escapes[character] ?? '')}"`)
    .join(',');
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
