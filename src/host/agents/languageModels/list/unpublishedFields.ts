import type * as vscode from 'vscode';
import type { JsonObject } from '../../../../base/json.ts';
import type { Usage } from '../../../../wire/chatEvent.ts';

// Fields that the published typings of VS Code (1.140) do not contain: fields of models and replies that VS Code reads, and
// fields of requests and their messages that it sets. Other versions do not know them, so the extension must work without
// each of them.

/**
 * The fields, each with the first version of VS Code whose source contains it. The sources of 1.107, 1.109, 1.111 and 1.118
 * to 1.132 were not available. VS Code's Copilot extension sets `cacheMark`; its versions before 1.139 were not available.
 */
export const fieldVersions = {
  model: {
    isUserSelectable: '1.106',
    statusIcon: '1.106',
    configurationSchema: '1.113',
    pricing: '1.133',
    warningText: '1.133',
    infoText: '1.134',
  },
  options: { requestInitiator: '1.106', modelConfiguration: '1.113', includeEncryptedThinking: '1.133' },
  messages: { systemRole: '1.106', isThinking: '1.106', isError: '1.106', cacheMark: '1.139' },
  // The agent host reads the usage since 1.133.
  replies: { thinking: '1.106', usage: '1.120' },
} as const satisfies {
  readonly model: Versions<keyof UnpublishedModelFields>;
  readonly options: Versions<keyof UnpublishedOptions>;
  readonly messages: Versions<keyof typeof messageFields>;
  readonly replies: Versions<string>;
};

type Versions<Name extends string> = Readonly<Record<Name, string>>;

/** `capabilities.editTools` is not included because VS Code throws on it. */
export interface UnpublishedModelFields {
  /** VS Code 1.106 shows a model in its picker only with this field; 1.139 also shows it without. */
  readonly isUserSelectable: true;
  /** The price in words. VS Code's numeric price fields are in its own credits. */
  readonly pricing?: string;
  /** Replaces the icon of the model's maker. */
  readonly statusIcon?: vscode.ThemeIcon;
  /** Markdown texts; the keys are arbitrary. */
  readonly warningText?: Readonly<Record<string, string>>;
  /** Markdown texts; the keys are arbitrary. A host that shows `pricing` shows these texts instead of the tooltip. */
  readonly infoText?: Readonly<Record<string, string>>;
  /** The agent host also reads its `reasoningEffort`. */
  readonly configurationSchema?: ConfigurationSchema;
}

/** The options of a model. */
export interface ConfigurationSchema {
  readonly properties: Readonly<Record<string, ConfiguredOption>>;
}

interface ConfiguredOption {
  readonly type: 'string';
  readonly title: string;
  readonly description: string;
  readonly enum: readonly string[];
  readonly enumItemLabels: readonly string[];
  readonly default: string;
  /** Shown in the picker itself; without it, in the configuration menu of a model. */
  readonly group?: 'navigation';
}

/** Fields in the options of a request. */
export interface UnpublishedOptions {
  /** The id of the requesting extension, or `core` for VS Code itself. */
  readonly requestInitiator?: unknown;
  /** The user's choices for the model in VS Code's picker, by the names of the model's `configurationSchema`. */
  readonly modelConfiguration?: unknown;
  /** Only VS Code's bridge to the agent host sets it. */
  readonly includeEncryptedThinking?: unknown;
}

/** Unpublished fields of messages: their values, or functions that read them. */
export const messageFields = {
  /** The number of the role of instructions. */
  systemRole: 3,
  /** The type of a data part after the last part that the provider should cache. */
  cacheMark: 'cache_control',
  /** Whether a part with a text is reasoning. */
  isThinking: (part: JsonObject) => 'metadata' in part || 'id' in part,
  /** Whether a tool result reports a failure. */
  isError: ({ isError }: JsonObject) => isError === true,
} as const;

type ThinkingPart = new (value: string) => vscode.LanguageModelResponsePart;

/**
 * A part with reasoning; undefined if this VS Code does not have its class, which is a proposed API.
 *
 * @param api VS Code's module
 */
export function thinkingPart(text: string, api: object): vscode.LanguageModelResponsePart | undefined {
  try {
    const value: unknown = Reflect.get(api, 'LanguageModelThinkingPart');
    return typeof value === 'function' ? new (value as ThinkingPart)(text) : undefined;
  } catch {
    // A host may throw on access to a proposed API.
    return undefined;
  }
}

/**
 * The token counts for VS Code's display of context usage and for its agent host; undefined if the gateway did not report
 * any.
 */
export function usagePart(
  { inputTokens, outputTokens, totalTokens, cachedTokens, reasoningTokens }: Usage,
  api: Pick<typeof vscode, 'LanguageModelDataPart'>,
): vscode.LanguageModelDataPart | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const [prompt_tokens, completion_tokens] = [inputTokens ?? 0, outputTokens ?? 0];
  const usage = {
    prompt_tokens,
    completion_tokens,
    total_tokens: totalTokens ?? prompt_tokens + completion_tokens,
    ...(cachedTokens !== undefined && { prompt_tokens_details: { cached_tokens: cachedTokens } }),
    ...(reasoningTokens !== undefined && {
      completion_tokens_details: { reasoning_tokens: reasoningTokens },
    }),
  };
  return new api.LanguageModelDataPart(new TextEncoder().encode(JSON.stringify(usage)), 'usage');
}
