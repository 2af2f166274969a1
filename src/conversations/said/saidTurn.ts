import type { JsonObject } from '../../base/json.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';

/** What a model said in one reply, as it goes back when the conversation goes on. */
export interface SaidTurn {
  /** Whom it goes back to, and nobody else: signatures mean nothing elsewhere. */
  readonly asked: AskedModel;
  /** In the form of the API format, unchanged. */
  readonly said: readonly JsonObject[];
  /** Its calls in their order, if it made any: as others know them, and by the provider's id, empty where it gave none. */
  readonly calls: readonly { readonly id: string; readonly ownId: string }[];
  /** What the model is told with the results, such as why another call was not made. */
  readonly note?: string;
}

export interface AskedModel {
  /** The key of the gateway. */
  readonly gateway: string;
  readonly model: string;
  readonly format: TextFormatId;
}

/** A turn as it is stored. */
export interface StoredTurn {
  readonly id: string;
  /** JSON text of a `SaidTurn`. */
  readonly turn: string;
}
