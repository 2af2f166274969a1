import type { ExchangeRecord } from './exchangeRecord.ts';
import { Counter, Gauge, Histogram } from './labelledMetric.ts';

/** The content type of the text format of Prometheus. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Models beyond these are counted together: whoever asks for ever new ones does not fill the memory. */
const maxModels = 200;
const maxModelLength = 200;
const otherModels = 'other';

/** In seconds: from a local list of models to a reply of ten minutes. */
const bounds = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What the gateway counts about its requests. */
export class Metrics {
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

  begin(): void {
    this.#underWay += 1;
  }

  end(record: ExchangeRecord): void {
    this.#underWay -= 1;
    const { status, isCut, tokens } = record;
    const about = { model: this.#modelOf(record), upstream: record.upstream ?? '' };
    this.#requests.add({ ...about, route: record.route, status: String(status) });
    if (isCut || status >= 400) this.#errors.add({ ...about, reason: isCut ? 'cut' : String(status) });
    // Upstreams alone: refusals and lists of models would hide how fast they are.
    if (record.upstream === undefined) return;
    this.#durations.observe(about, record.ms / 1000);
    if (record.firstByteMs !== undefined) this.#firstBytes.observe(about, record.firstByteMs / 1000);
    if (tokens?.input) this.#tokens.add({ ...about, direction: 'input' }, tokens.input);
    if (tokens?.output) this.#tokens.add({ ...about, direction: 'output' }, tokens.output);
  }

  /** All of it in the text format of Prometheus. */
  text(): string {
    const families = [
      ...[this.#requests, this.#errors, this.#durations, this.#firstBytes, this.#tokens],
      ...[this.#open, this.#started, this.#memory, this.#cpu],
    ];
    return `${families.flatMap((family) => family.lines()).join('\n')}\n`;
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
