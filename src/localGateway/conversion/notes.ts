import type { RequestNotes } from '../../wire/apis/format/askedRequest.ts';
import { type TextFormatId, textFormat } from '../../wire/apis/textFormats.ts';
import { type HttpError, invalidRequest } from '../http/httpError.ts';

/** How many fields are named at most, far more than anybody sends; a header holds them all. */
const maxNames = 40;

/** What one conversion of a request leaves out, and how it refuses what cannot be left out. */
export class ConversionNotes implements RequestNotes {
  readonly #dropped = new Set<string>();
  readonly #to: TextFormatId;
  readonly #model: string;

  constructor(to: TextFormatId, model: string) {
    this.#to = to;
    this.#model = model;
  }

  /** The fields that were left out, each once, without positions, in characters that a header can carry. */
  get dropped(): readonly string[] {
    return [...this.#dropped];
  }

  /** @param path of a field that only advises, such as `messages[0].name` */
  drop(path: string): void {
    const name = path.replaceAll(/\[\d+\]/g, '[]');
    const isPlain = /^[\w.[\]-]{1,100}$/.test(name) && this.#dropped.size < maxNames;
    this.#dropped.add(isPlain ? name : '(other)');
  }

  /** Throws `refusal`. */
  refuse(path: string, what: string): never {
    throw this.refusal(path, what);
  }

  /**
   * The error for a field without which the request would mean something else.
   *
   * @param what ends a sentence after the name of the format, such as `has no audio`
   */
  refusal(path: string, what: string): HttpError {
    const { label } = textFormat(this.#to);
    const model = this.#model.slice(0, 100);
    const place = path.slice(0, 200);
    return invalidRequest(
      `${place}: the model "${model}" is served in ${label}, which ${what}. Leave it out, or ask a model that is served in the API format of this request.`,
      'unsupported_conversion',
      place,
    );
  }
}
