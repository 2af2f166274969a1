import type { JsonObject } from '../../../base/json.ts';
import type { ResponseFormat } from '../../../wire/apis/commonParameters.ts';
import type { ToolFunction } from '../../../wire/apis/functionTools.ts';
import type { ForeignPart } from '../../../wire/message.ts';

/** A request as one API format asks it, before another one writes it. */
export interface AskedRequest {
  readonly messages: readonly AskedMessage[];
  readonly settings: Settings;
  readonly streamed: boolean;
  /** Hints that the formats of one provider share, by their name in both. */
  readonly shared: JsonObject;
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

/** Whether tools may or must be called. */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required';
  /** The only tools that may be called. */
  readonly names?: readonly string[];
}

export interface AskedTool extends ToolFunction {
  /** Whether the arguments have to keep to the schema. */
  readonly strict?: boolean;
}

export interface AskedFormat {
  readonly format: ResponseFormat;
  readonly schema?: JsonObject;
  /** What the provider is told of the schema, where it is told. */
  readonly name?: string;
  readonly strict?: boolean;
}

interface Values {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
  readonly seed: number;
  readonly stop: readonly string[];
  readonly outputLimit: number;
  /** How many answers to write. */
  readonly choices: number;
  /** A word, or the most tokens to think. */
  readonly effort: string | number;
  readonly tools: readonly AskedTool[];
  readonly toolChoice: ToolChoice;
  /** Whether several tools may be called at once. */
  readonly parallelCalls: boolean;
  readonly responseFormat: AskedFormat;
  readonly verbosity: string;
  /** Whether pictures are wanted beside text. */
  readonly pictures: boolean;
}

export type SettingName = keyof Values;

/** What is asked for beside the conversation. What is not set is absent. */
export type Settings = { readonly [Name in SettingName]?: Setting<Values[Name]> | undefined };

export type SettingValue<Name extends SettingName> = Values[Name];
