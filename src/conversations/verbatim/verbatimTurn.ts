import type { JsonObject } from '../../base/json.ts';
import type { TextFormatId } from '../../wire/apis/textFormats.ts';

/** A model's turn in one reply, stored so that it can be sent back when the conversation continues. */
export interface VerbatimTurn {
  /** The turn is only sent back to this model: signatures are invalid elsewhere. */
  readonly turnModel: TurnModel;
  /** The turn in the structure of the API format, unchanged. */
  readonly verbatim: readonly JsonObject[];
  /** Its tool calls in order, if any: the id that clients use, and the provider's id, empty if it gave none. */
  readonly calls: readonly { readonly id: string; readonly ownId: string }[];
  /** A note to the model that is sent with the results, such as why another call was not made. */
  readonly note?: string;
}

/** The gateway, model and API format that produced a turn. */
export interface TurnModel {
  /** The key of the gateway. */
  readonly gateway: string;
  readonly model: string;
  readonly format: TextFormatId;
}

/** A turn as it is stored. */
export interface StoredTurn {
  readonly id: string;
  /** JSON text of a `VerbatimTurn`. */
  readonly turn: string;
}
