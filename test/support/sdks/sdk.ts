/** Where a client library is pointed at. */
export interface SdkTarget {
  readonly baseUrl: string;
  readonly credential: string;
  /** How often a failed request is sent again; 0 unless set. */
  readonly retries?: number;
}

export interface SdkQuestion {
  readonly text: string;
  /** `demo/chat` unless told otherwise. */
  readonly model?: string;
  readonly signal?: AbortSignal;
}

/** What came of a conversation with a tool that tells the weather of a city. */
export interface ToolRun {
  /** The cities the tool was called with. */
  readonly cities: readonly string[];
  /** The answer in the end. */
  readonly text: string;
}

/**
 * A provider's own client library, with one of its API formats, as a program would use it: unchanged, with its own
 * parsing, and without retries of its own unless the target sets them. What it has no way to do is absent.
 */
export interface Sdk {
  readonly name: string;
  /** The ids of all models, through all pages of the list. */
  list?(): Promise<readonly string[]>;
  /** The id of a single model, as it is told. */
  read?(id: string): Promise<string | undefined>;
  /** The answer in one piece. */
  ask(question: SdkQuestion): Promise<string>;
  /** The answer, piece by piece. */
  stream(question: SdkQuestion): AsyncIterable<string>;
  /** Lets the model call the tool, as often as it likes. */
  useTool(text: string, streamed: boolean): Promise<ToolRun>;
  /** The pictures of an answer, base64. */
  draw?(text: string, streamed: boolean): Promise<readonly string[]>;
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

/** The tool: it notes where it was called, and always has the same answer. */
export function weatherReporter() {
  const cities: string[] = [];
  return {
    cities,
    report({ city }: { readonly city?: unknown }): string {
      cities.push(String(city));
      return `sunny in ${city}`;
    },
  };
}
