import type { RequestNotes } from '../../wire/apis/shared/receivedRequest.ts';
import { type HttpError, invalidRequestError } from '../http/httpError.ts';

/** The most omitted fields that are named, so that they fit into a header. */
const maxNames = 40;

/** Collects the fields that one converted request omits, and refuses fields that cannot be omitted. */
export class ConversionNotes implements RequestNotes {
  readonly #dropped = new Set<string>();
  readonly #label: string;
  readonly #model: string;

  /** @param label the name of the upstream's format */
  constructor(label: string, model: string) {
    this.#label = label;
    this.#model = model;
  }

  /** The omitted fields, each once, without indexes, in characters that a header can contain. */
  get dropped(): readonly string[] {
    return [...this.#dropped];
  }

  /** @param path the path of an advisory field, such as `messages[0].name` */
  drop(path: string): void {
    const name = path.replaceAll(/\[\d+\]/g, '[]');
    const isPlain = /^[\w.[\]-]{1,100}$/.test(name) && this.#dropped.size < maxNames;
    this.#dropped.add(isPlain ? name : '(other)');
  }

  /** @throws {HttpError} as `refusalError` returns */
  refuse(path: string, lack: string): never {
    throw this.refusalError(path, lack);
  }

  /**
   * Creates the error for a field whose omission would change the meaning of the request.
   *
   * @param lack the end of a sentence that begins with the name of the format, such as `has no audio`
   */
  refusalError(path: string, lack: string): HttpError {
    const model = this.#model.slice(0, 100);
    const shortPath = path.slice(0, 200);
    return invalidRequestError(
      `${shortPath}: the model "${model}" is served in ${this.#label}, which ${lack}. Leave it out, or use a model that is served in the API format of this request.`,
      'unsupported_conversion',
      shortPath,
    );
  }
}
