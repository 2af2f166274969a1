import { shortHash } from '../../../base/shortHash.ts';

/** A name that every provider takes. */
const plainName = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;

const maxLength = 64;

/**
 * The name by which a tool goes to a provider: itself where every provider takes it. Others are spelled alike, and end
 * in a number that tells them apart, the same in each request.
 */
export function sentToolName(name: string): string {
  if (plainName.test(name)) return name;
  const ending = `_${shortHash(name).toString(36)}`;
  const plain = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  return (/^[A-Za-z_]/.test(plain) ? plain : `_${plain}`).slice(0, maxLength - ending.length) + ending;
}

/** The tools of one request, by the names that a model may call them. */
export class ToolNames {
  readonly #bySent: ReadonlyMap<string, string>;
  readonly #byFolded = new Map<string, string>();

  constructor(names: readonly string[]) {
    this.#bySent = new Map(names.map((name) => [sentToolName(name), name]));
    for (const [sent, name] of this.#bySent) this.#byFolded.set(sent.toLowerCase(), name);
  }

  get all(): readonly string[] {
    return [...this.#bySent.values()];
  }

  /** The tool that a model means. Some write a namespace before it, or other capitals; undefined where none is meant. */
  offered(called: string): string | undefined {
    const separators = ['.', ':', '/'].map((each) => called.lastIndexOf(each));
    const alone = called.slice(Math.max(...separators) + 1);
    return this.#bySent.get(called) ?? this.#bySent.get(alone) ?? this.#byFolded.get(alone.toLowerCase());
  }
}
