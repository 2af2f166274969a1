import type { JsonObject } from '../../../base/json.ts';
import type { FieldPath, PlacedField } from '../../../wire/apis/commonParameters.ts';
import type { Encoded } from '../../../wire/message.ts';
import type { Admission } from './admittedMessages.ts';
import type { AskedMessage, AskedRequest, SettingName, SettingValue } from './askedRequest.ts';

/** A request while it is written. */
export interface Writing {
  readonly asked: AskedRequest;
  readonly model: string;
}

/** The fields for a setting; undefined for a value that the format has no place for. */
export type PlaceSetting<Name extends SettingName> = (
  value: SettingValue<Name>,
  writing: Writing,
) => readonly PlacedField[] | undefined;

/** How an API format asks. */
export interface RequestForm {
  readonly admission: Admission;
  encode(messages: readonly AskedMessage[]): Encoded<object>;
  /** The settings that it has. */
  readonly settings: { readonly [Name in SettingName]?: PlaceSetting<Name> };
  /** The body with what every request of the format needs. */
  complete(body: JsonObject, writing: Writing): JsonObject;
}

export function at<Value>(...path: FieldPath): (value: Value) => readonly PlacedField[] {
  return (value) => [{ path, value }];
}
