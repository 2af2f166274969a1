/** The target of a client library. */
export interface SdkTarget {
  readonly baseUrl: string;
  readonly credential: string;
  /** The number of retries of a failed request; 0 by default. */
  readonly retries?: number;
}

export interface SdkQuestion {
  readonly text: string;
  /** `demo/chat` by default. */
  readonly model?: string;
  readonly signal?: AbortSignal;
}

/** The result of a conversation with a tool that reports the weather of a city. */
export interface ToolRun {
  /** The cities of the tool calls. */
  readonly cities: readonly string[];
  /** The final reply. */
  readonly text: string;
}

/**
 * A provider's own client library, with one of its API formats, as a program would use it: unchanged, with its own
 * parsing, and without its own retries unless the target sets them. Unsupported operations are absent.
 */
export interface Sdk {
  readonly name: string;
  /** Lists the ids of all models, through all pages of the list. */
  list?(): Promise<readonly string[]>;
  /** Reads the id of a single model, as the gateway reports it. */
  read?(id: string): Promise<string | undefined>;
  /** Returns the whole reply at once. */
  sendQuestion(question: SdkQuestion): Promise<string>;
  /** Returns the reply, piece by piece. */
  stream(question: SdkQuestion): AsyncIterable<string>;
  /** Allows the model to call the tool any number of times. */
  useTool(text: string, isStreamed: boolean): Promise<ToolRun>;
  /** Returns the pictures of a reply, as base64. */
  draw?(text: string, isStreamed: boolean): Promise<readonly string[]>;
  countTokens?(text: string): Promise<number | undefined>;
}

export const demoChat = 'demo/chat';

export const weather = {
  name: 'get_weather',
  description: 'Tells the weather of a city.',
  schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' as const, description: 'Name of the city.' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/** Creates the tool: it records the cities of its calls, and reports the same weather for all of them. */
export function createWeatherReporter() {
  const cities: string[] = [];
  return {
    cities,
    report({ city }: { readonly city?: unknown }): string {
      cities.push(String(city));
      return `sunny in ${city}`;
    },
  };
}
