import type { ExchangeRecord } from '../server/exchangeRecord.ts';
import { Counter, type Distribution, Gauge, Histogram, type Sum } from './labelledMetric.ts';

/** Models beyond these are counted together: whoever asks for ever new ones does not fill the memory. */
const maxModels = 200;
const maxModelLength = 200;
const otherModels = 'other';

/** In seconds: from a local list of models to a reply of ten minutes. */
const bounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What is counted of one model of one upstream, from its first occurrence on. */
interface ModelValues {
  /** By route and status. */
  readonly requests: Map<string, Map<number, Sum>>;
  durations?: Distribution;
  firstBytes?: Distribution;
  inputTokens?: Sum;
  outputTokens?: Sum;
}

/** What the gateway counts about its requests. */
export class Metrics {
  /** The media type of the text, which is the text format of Prometheus. */
  readonly type = 'text/plain; version=0.0.4; charset=utf-8';
  readonly #requests = new Counter('model_gateway_requests_total', 'Requests that were answered.');
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
  readonly #tokens = new Counter('model_gateway_tokens_total', 'Tokens that replies report.');
  readonly #open: Gauge;
  readonly #started: Gauge;
  readonly #memory = new Gauge('process_resident_memory_bytes', 'Resident memory of the process.', () =>
    process.memoryUsage.rss(),
  );
  readonly #cpu = new Gauge('process_cpu_seconds', 'Processor time of the process.', () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  readonly #models = new Set<string>();
  /** By upstream and model. Kept, because to write labels out takes longer than to count. */
  readonly #known = new Map<string, Map<string, ModelValues>>();
  #underWay = 0;

  /** @param startedAt milliseconds since 1970 */
  constructor(startedAt: number) {
    this.#open = new Gauge('model_gateway_open_requests', 'Requests under way.', () => this.#underWay);
    this.#started = new Gauge(
      'process_start_time_seconds',
      'Start of the process since 1970.',
      () => startedAt / 1000,
    );
  }

  /** How many requests are under way. */
  get underWay(): number {
    return this.#underWay;
  }

  begin(): void {
    this.#underWay += 1;
  }

  end(record: ExchangeRecord): void {
    this.#underWay -= 1;
    const { route, status, isCut, tokens } = record;
    const about = { model: this.#modelOf(record), upstream: record.upstream ?? '' };
    const known = this.#valuesOf(about);
    const answers = kept(known.requests, route, () => new Map<number, Sum>());
    kept(answers, status, () => this.#requests.of({ ...about, route, status: String(status) })).value += 1;
    if (isCut || status >= 400)
      this.#errors.of({ ...about, reason: isCut ? 'cut' : String(status) }).value += 1;
    // Upstreams alone: refusals and lists of models would hide how fast they are.
    if (record.upstream === undefined) return;
    known.durations ??= this.#durations.of(about);
    known.durations.observe(record.ms / 1000);
    if (record.firstByteMs !== undefined) {
      known.firstBytes ??= this.#firstBytes.of(about);
      known.firstBytes.observe(record.firstByteMs / 1000);
    }
    if (tokens?.input) {
      known.inputTokens ??= this.#tokens.of({ ...about, direction: 'input' });
      known.inputTokens.value += tokens.input;
    }
    if (tokens?.output) {
      known.outputTokens ??= this.#tokens.of({ ...about, direction: 'output' });
      known.outputTokens.value += tokens.output;
    }
  }

  /** All of it in the text format of Prometheus. */
  text(): string {
    const families = [
      ...[this.#requests, this.#errors, this.#durations, this.#firstBytes, this.#tokens],
      ...[this.#open, this.#started, this.#memory, this.#cpu],
    ];
    return `${families.flatMap((family) => family.lines()).join('\n')}\n`;
  }

  #valuesOf({ model, upstream }: { readonly model: string; readonly upstream: string }): ModelValues {
    const models = kept(this.#known, upstream, () => new Map<string, ModelValues>());
    return kept(models, model, () => ({ requests: new Map() }));
  }

  /** A model gets a label of its own by its first answer that is no error. */
  #modelOf({ model, status }: ExchangeRecord): string {
    if (model === undefined) return '';
    if (this.#models.has(model)) return model;
    if (status >= 400 || model.length > maxModelLength || this.#models.size >= maxModels) return otherModels;
    this.#models.add(model);
    return model;
  }
}

/** The value of a key, made at its first use. */
function kept<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}
