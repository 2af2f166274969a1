import type { JsonObject } from '../../../base/json.ts';
import type { RequestSettings, SettingName } from '../../../wire/apis/requestSettings.ts';
import type { ForeignPart } from '../../../wire/message.ts';

/** A request as one API format asks it, before another one writes it. */
export interface AskedRequest {
  readonly messages: readonly AskedMessage[];
  readonly settings: Settings;
  readonly streamed: boolean;
  /** Hints that the formats of one provider share, by their name in both. */
  readonly shared: JsonObject;
  /** Whether both formats are of one provider, which knows its own words in either. */
  readonly isSameProvider?: boolean;
}

export interface AskedMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly AskedPart[];
  /** Its place in the request, such as `messages[0]`. */
  readonly at: string;
}

/** A part with its place in the request, such as `messages[0].content[1]`. */
export type AskedPart = ForeignPart & { readonly at: string };

/** A value with its place in the request. */
export interface Setting<Value> {
  readonly value: Value;
  readonly at: string;
}

/** The settings of the form of the answer. */
export type FormatSettings = Pick<
  Settings,
  'responseFormat' | 'responseSchema' | 'schemaName' | 'strictSchema'
>;

/** What is asked for beside the conversation. What is not set is absent. */
export type Settings = { readonly [Name in SettingName]?: Setting<RequestSettings[Name]> | undefined };
