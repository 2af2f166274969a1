type Labels = Readonly<Record<string, string>>;

/** One family in the text format of Prometheus. */
export interface MetricFamily {
  lines(): readonly string[];
}

/** The sum for one combination of labels. */
export interface Sum {
  value: number;
}

/** A sum that only grows, for each combination of labels. */
export class Counter implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #sums = new Map<string, Sum>();

  constructor(name: string, help: string) {
    this.#name = name;
    this.#help = help;
  }

  /** The sum to add to, which whoever adds often keeps. It is listed from now on. */
  of(labels: Labels): Sum {
    const key = labelText(labels);
    const found = this.#sums.get(key);
    if (found) return found;
    const sum = { value: 0 };
    this.#sums.set(key, sum);
    return sum;
  }

  lines(): readonly string[] {
    const values = [...this.#sums].map(([labels, { value }]) => `${this.#name}{${labels}} ${value}`);
    return [...heading(this.#name, this.#help, 'counter'), ...values];
  }
}

/** The values for one combination of labels. */
export class Distribution {
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.counts = [...bounds.map(() => 0), 0];
  }

  observe(value: number): void {
    const at = this.#bounds.findIndex((bound) => value <= bound);
    const bucket = at < 0 ? this.#bounds.length : at;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }
}

/** How many values are at most as large as each bound, for each combination of labels. */
export class Histogram implements MetricFamily {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #values = new Map<string, Distribution>();

  /** @param bounds growing */
  constructor(name: string, help: string, bounds: readonly number[]) {
    this.#name = name;
    this.#help = help;
    this.#bounds = bounds;
  }

  /** The values to add to, which whoever adds often keeps. They are listed from now on. */
  of(labels: Labels): Distribution {
    const key = labelText(labels);
    const found = this.#values.get(key);
    if (found) return found;
    const values = new Distribution(this.#bounds);
    this.#values.set(key, values);
    return values;
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
