import { computeShortHash } from '../../../base/shortHash.ts';

/** A name that every provider accepts. */
const validName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const maxLength = 64;

/**
 * The name of a tool in requests: unchanged if every provider accepts it. Other names are made valid, and end in a
 * hash of the original name, which makes them unique and is the same in each request.
 */
export function sentToolName(name: string): string {
  if (validName.test(name)) return name;
  const ending = `_${computeShortHash(name).toString(36)}`;
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, maxLength - ending.length) + ending;
}

/** The tools of one request, by the names that a model may use to call them. */
export class OfferedToolNames {
  readonly #bySent: ReadonlyMap<string, string>;
  readonly #byLowerCase = new Map<string, string>();

  constructor(names: readonly string[]) {
    this.#bySent = new Map(names.map((name) => [sentToolName(name), name]));
    for (const [sent, name] of this.#bySent) this.#byLowerCase.set(sent.toLowerCase(), name);
  }

  get all(): readonly string[] {
    return [...this.#bySent.values()];
  }

  /** Finds the called tool; undefined if no tool matches. Ignores namespace and case, which some models change. */
  find(called: string): string | undefined {
    const separators = ['.', ':', '/'].map((each) => called.lastIndexOf(each));
    const plain = called.slice(Math.max(...separators) + 1);
    return this.#bySent.get(called) ?? this.#bySent.get(plain) ?? this.#byLowerCase.get(plain.toLowerCase());
  }
}
