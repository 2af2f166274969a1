import type { JsonObject } from '../../base/json.ts';
import type { ResponseFormat } from './commonParameters.ts';
import type { ToolFunction } from './functionTools.ts';

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

/** What a request asks for beside the conversation, whatever its API format calls it. */
export interface RequestSettings {
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
  /** Whether the text of the thinking is wanted in the reply. */
  readonly thoughts: true;
  readonly tools: readonly AskedTool[];
  readonly toolChoice: ToolChoice;
  /** Whether several tools may be called at once. */
  readonly parallelCalls: boolean;
  readonly responseFormat: AskedFormat;
  readonly verbosity: string;
  /** Whether pictures are wanted beside text. */
  readonly pictures: boolean;
}

export type SettingName = keyof RequestSettings;
