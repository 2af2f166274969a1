import * as z from 'zod';
import { anyObject, count, flag, number, stringField } from '../shared/schemaFields.ts';

// Requests of the content-generation format, whose path contains the model, and the types of its replies.
// readReply.ts reads replies, leniently and without zod.

const inlineData = z
  .looseObject({
    mimeType: stringField.optional().describe('Media type of the data, such as image/png.'),
    data: stringField.describe('The data, base64-encoded.'),
  })
  .describe('A picture, sound or document inside the request.');

const fileData = z
  .looseObject({
    mimeType: stringField.optional().describe('Media type of the file, such as video/mp4.'),
    fileUri: stringField.describe('The location of the file.'),
  })
  .describe('A file that the provider downloads.');

const functionCall = z
  .looseObject({
    id: stringField.optional().describe('Identifier to which the functionResponse with the result refers.'),
    name: stringField.optional().describe('Name of the function to call.'),
    args: anyObject.nullish().describe('Arguments by name.'),
  })
  .describe('A function call of the model in an earlier turn.');

const functionResponse = z
  .looseObject({
    id: stringField.optional().describe('The call to which the result belongs.'),
    name: stringField.optional().describe('Name of the function that was called.'),
    response: anyObject.nullish().describe('The result of the function, as an object.'),
  })
  .describe('Result of a function.');

const part = z
  .looseObject({
    text: stringField.optional().describe('Text.'),
    thought: flag.optional().describe('Whether the text is a summary of thinking instead of a reply.'),
    thoughtSignature: stringField
      .optional()
      .describe("The provider's signature of its thinking; send it back unchanged."),
    inlineData: inlineData.optional(),
    fileData: fileData.optional(),
    functionCall: functionCall.optional(),
    functionResponse: functionResponse.optional(),
  })
  .describe('Part of a turn: text, a picture, a file, a function call or its result.');

const content = z.looseObject({
  role: z.enum(['user', 'model', 'function']).optional().describe('Role of the author; user by default.'),
  parts: z.array(part).describe('Content of the turn, as parts.'),
});

const systemInstruction = z
  .union([
    stringField.describe('The instructions as plain text, if the gateway supports it.'),
    z.looseObject({
      role: stringField.optional().describe('Ignored.'),
      parts: z.union([z.array(part), part]).describe('The instructions, as parts.'),
    }),
  ])
  .nullish()
  .describe('Instructions at the start of the conversation.');

const safetySetting = z
  .looseObject({
    category: stringField.describe('Kind of harm, such as HARM_CATEGORY_HARASSMENT.'),
    threshold: stringField.describe(
      'Likelihood at which blocking starts, such as BLOCK_ONLY_HIGH or BLOCK_NONE.',
    ),
    method: stringField
      .optional()
      .describe('Whether the threshold applies to likelihood or severity, on cloud platforms.'),
  })
  .describe('How strictly one kind of harm is blocked.');

const thinkingConfig = z
  .looseObject({
    includeThoughts: flag.optional().describe('Include summaries of the thinking in the reply.'),
    thinkingBudget: z
      .int()
      .min(-1)
      .optional()
      .describe('Maximum number of tokens for thinking: 0 for none, -1 for as many as needed.'),
    thinkingLevel: stringField.optional().describe('How much to think, such as LOW or HIGH.'),
  })
  .nullish()
  .describe('Whether the model thinks before it replies, and how much.');

const imageConfig = z
  .looseObject({
    aspectRatio: stringField.optional().describe('Aspect ratio of the picture, such as 16:9.'),
    imageSize: stringField.optional().describe('Size of the picture: 1K, 2K or 4K.'),
  })
  .nullish()
  .describe('Picture options, if the modalities include IMAGE.');

const speechConfig = z
  .looseObject({
    languageCode: stringField.optional().describe('Language to speak, such as en-US.'),
    voiceConfig: anyObject.optional().describe('The voice of a single speaker.'),
    multiSpeakerVoiceConfig: anyObject.optional().describe('The voices of several speakers.'),
  })
  .nullish()
  .describe('Speech options, if the modalities include AUDIO.');

const generationConfig = z
  .looseObject({
    temperature: number('Sampling temperature: 0 is most consistent, higher values are more varied.', 0, 2),
    topP: number('Cumulative probability of the tokens to sample from; an alternative to temperature.', 0, 1),
    topK: number('Number of most likely tokens to sample from.', 0, Number.MAX_SAFE_INTEGER),
    maxOutputTokens: count('Maximum number of tokens to generate, including thinking.', 1),
    candidateCount: count('Number of replies to generate.', 1, 128),
    stopSequences: z.array(stringField).nullish().describe('Texts at which the model stops; at most five.'),
    seed: z
      .int()
      .nullish()
      .describe('The same seed and request produce the same reply, as far as the model supports this.'),
    presencePenalty: number('Values above 0 discourage words that were already used.', -2, 2),
    frequencyPenalty: number(
      'Values above 0 discourage words in proportion to how often they were used.',
      -2,
      2,
    ),
    responseMimeType: stringField
      .nullish()
      .describe('Format of the reply: text/plain, application/json, text/x.enum.'),
    responseSchema: anyObject
      .nullish()
      .describe('Schema that the JSON of the reply must match (OpenAPI form).'),
    responseJsonSchema: z
      .unknown()
      .optional()
      .describe('Schema that the JSON of the reply must match (JSON Schema).'),
    responseFormat: z
      .unknown()
      .optional()
      .describe('Format of the reply for newer models: a list with one element for each kind of output.'),
    responseModalities: z
      .array(stringField)
      .nullish()
      .describe('Requested kinds of output: TEXT, IMAGE, AUDIO.'),
    responseLogprobs: flag.nullish().describe('Return the log probability of each token.'),
    logprobs: count(
      'Number of most likely tokens to return at each position; requires responseLogprobs.',
      0,
      20,
    ),
    mediaResolution: stringField
      .nullish()
      .describe('Level of detail for processing pictures, such as MEDIA_RESOLUTION_LOW.'),
    thinkingConfig,
    imageConfig,
    speechConfig,
  })
  .nullish()
  .describe('Settings for generating the reply.');

const toolConfig = z
  .looseObject({
    functionCallingConfig: z
      .looseObject({
        mode: stringField.optional().describe('AUTO, ANY, NONE or VALIDATED.'),
        allowedFunctionNames: z
          .array(stringField)
          .optional()
          .describe('The only functions that may be called.'),
      })
      .optional()
      .describe('Whether functions may or must be called.'),
    retrievalConfig: anyObject.optional().describe('Location and language for search and maps.'),
  })
  .nullish()
  .describe('How tools are used.');

const tool = z
  .looseObject({
    functionDeclarations: z
      .array(
        z.looseObject({
          name: stringField.describe('Name by which the model calls the function.'),
          description: stringField.optional().describe('What the function does and when to use it.'),
          parameters: anyObject.optional().describe('Schema of the arguments (OpenAPI form).'),
          parametersJsonSchema: z.unknown().optional().describe('Schema of the arguments (JSON Schema).'),
        }),
      )
      .optional()
      .describe('Functions the model may call.'),
  })
  .describe('Functions the model may call, or a tool of the provider such as googleSearch.');

/**
 * The body of POST /v1beta/models/{model}:generateContent and :streamGenerateContent. This schema validates
 * it in the local gateway, describes it to forms through JSON Schema, and types it in the client. Unknown
 * fields pass through.
 */
export const contentGenerationRequest = z.looseObject({
  contents: z.array(content).min(1).describe('The conversation so far, oldest first.'),
  systemInstruction,
  tools: z.array(tool).nullish().describe('The tools that the model may use.'),
  toolConfig,
  safetySettings: z.array(safetySetting).nullish().describe('How strictly each kind of harm is blocked.'),
  generationConfig,
  cachedContent: stringField
    .nullish()
    .describe('Name of the cached content that starts the conversation, such as cachedContents/….'),
});

/** The body of a request of content generation. Unknown fields pass through. */
export type ContentGenerationRequest = z.infer<typeof contentGenerationRequest>;

export type Content = z.infer<typeof content>;

export type Part = z.infer<typeof part>;

/** A whole reply, or one event of a stream. A stream ends once every candidate has finished. */
export interface GenerateContentReply {
  readonly candidates?: readonly {
    readonly index?: number;
    readonly content?: { readonly role: 'model'; readonly parts: readonly Part[] };
    /** Such as STOP, MAX_TOKENS or SAFETY; on the last event of a candidate. */
    readonly finishReason?: string;
    readonly avgLogprobs?: number;
    readonly groundingMetadata?: {
      readonly groundingChunks: readonly {
        readonly web: { readonly uri: string; readonly title?: string };
      }[];
    };
  }[];
  /** Replaces the candidates if the prompt was blocked. */
  readonly promptFeedback?: { readonly blockReason: string };
  /** Cumulative. `candidatesTokenCount` does not include the thoughts; the total does. */
  readonly usageMetadata?: {
    readonly promptTokenCount: number;
    readonly candidatesTokenCount?: number;
    readonly thoughtsTokenCount?: number;
    readonly cachedContentTokenCount?: number;
    readonly totalTokenCount: number;
  };
  readonly modelVersion?: string;
  readonly responseId?: string;
}

/** The body of an error, and an error inside a stream. */
export interface ContentGenerationError {
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly status: string;
    readonly details?: readonly { readonly '@type': string; readonly reason: string }[];
  };
}
