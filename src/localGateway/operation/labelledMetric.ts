type Labels = Readonly<Record<string, string>>;

/** One family in the text format of Prometheus. */
export interface MetricFamily {
  lines(): readonly string[];
}

/** A sum that only grows, for each combination of labels. */
export class Counter implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #values = new Map<string, number>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  add(labels: Labels, amount = 1): void {
    const key = labelText(labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + amount);
  }

  lines(): readonly string[] {
    const values = [...this.#values].map(([labels, value]) => `${this.#name}{${labels}} ${value}`);
    return [...heading(this.#name, this.#help, 'counter'), ...values];
  }
}

/** How many values are at most as large as each bound, for each combination of labels. */
export class Histogram implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #values = new Map<string, { readonly counts: number[]; sum: number }>();

  /** @param bounds growing */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const key = labelText(labels);
    const found = this.#values.get(key) ?? { counts: [...this.#bounds.map(() => 0), 0], sum: 0 };
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = at < 0 ? this.#bounds.length : at;
    found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
    found.sum += value;
    this.#values.set(key, found);
  }

  lines(): readonly string[] {
    const values = [...this.#values].flatMap(([labels, { counts, sum }]) => {
      let count = 0;
      const buckets = counts.map((own, i) => {
        count += own;
        return `${this.#name}_bucket{${labels},le="${this.#bounds[i] ?? '+Inf'}"} ${count}`;
      });
      return [...buckets, `${this.#name}_sum{${labels}} ${sum}`, `${this.#name}_count{${labels}} ${count}`];
    });
    return [...heading(this.#name, this.#help, 'histogram'), ...values];
  }
}

/** A value of now. */
export class Gauge implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #read: () => number;

  constructor(name: string, help: string, read: () => number) {
    this.#name = name;
    this.#help = help;
    this.#read = read;
  }

  lines(): readonly string[] {
    return [...heading(this.#name, this.#help, 'gauge'), `${this.#name} ${this.#read()}`];
  }
}

function heading(name: string, help: string, type: string): readonly string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function labelText(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replace(/[\\"\n]/g, (character) => escapes[character] ?? '')}"`)
    .join(',');
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };
