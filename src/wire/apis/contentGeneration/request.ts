import * as z from 'zod';
import { anyObject, count, flag, number, text } from '../format/requestFields.ts';

// Requests of the content-generation format, whose path holds the model, and its replies. decode.ts reads
// replies, leniently and without zod.

const inlineData = z
  .looseObject({
    mimeType: text.optional().describe('Kind of the data, such as image/png.'),
    data: text.describe('The data itself, base64.'),
  })
  .describe('A picture, sound or document inside the request.');

const fileData = z
  .looseObject({
    mimeType: text.optional().describe('Kind of the file, such as video/mp4.'),
    fileUri: text.describe('Where the file lies.'),
  })
  .describe('A file the provider fetches.');

const functionCall = z
  .looseObject({
    id: text.optional().describe('Identifier the replying functionResponse refers to.'),
    name: text.optional().describe('Name of the function to call.'),
    args: anyObject.nullish().describe('Arguments by name.'),
  })
  .describe('A call the model asked for in an earlier turn.');

const functionResponse = z
  .looseObject({
    id: text.optional().describe('The call this answers.'),
    name: text.optional().describe('Name of the function that was called.'),
    response: anyObject.nullish().describe('What the function returned, as an object.'),
  })
  .describe('What a function returned.');

const part = z
  .looseObject({
    text: text.optional().describe('Text.'),
    thought: flag.optional().describe('Whether the text is a summary of thinking instead of a reply.'),
    thoughtSignature: text.optional().describe("The provider's proof of its thinking; goes back unchanged."),
    inlineData: inlineData.optional(),
    fileData: fileData.optional(),
    functionCall: functionCall.optional(),
    functionResponse: functionResponse.optional(),
  })
  .describe('One piece of a turn: text, a picture, a file, a function call or its result.');

const content = z.looseObject({
  role: z.enum(['user', 'model', 'function']).optional().describe('Who speaks; user when left out.'),
  parts: z.array(part).describe('What is said, piece by piece.'),
});

const systemInstruction = z
  .union([
    text.describe('The instructions as plain text, where a gateway takes it.'),
    z.looseObject({
      role: text.optional().describe('Without meaning here.'),
      parts: z.union([z.array(part), part]).describe('The instructions, piece by piece.'),
    }),
  ])
  .nullish()
  .describe('Instructions at the start of the conversation.');

const safetySetting = z
  .looseObject({
    category: text.describe('Kind of harm, such as HARM_CATEGORY_HARASSMENT.'),
    threshold: text.describe('From which likelihood on to block, such as BLOCK_ONLY_HIGH or BLOCK_NONE.'),
    method: text.optional().describe('Whether likelihood or severity counts, on cloud platforms.'),
  })
  .describe('How strictly one kind of harm is blocked.');

const thinkingConfig = z
  .looseObject({
    includeThoughts: flag.optional().describe('Include summaries of the thinking in the reply.'),
    thinkingBudget: z.int().min(-1).optional().describe('Most tokens to think: 0 is none, -1 as needed.'),
    thinkingLevel: text.optional().describe('How much to think, such as LOW or HIGH.'),
  })
  .nullish()
  .describe('Whether and how much to think first.');

const imageConfig = z
  .looseObject({
    aspectRatio: text.optional().describe('Aspect ratio of the picture, such as 16:9.'),
    imageSize: text.optional().describe('Size of the picture: 1K, 2K or 4K.'),
  })
  .nullish()
  .describe('Picture options, if the modalities include IMAGE.');

const speechConfig = z
  .looseObject({
    languageCode: text.optional().describe('Language to speak, such as en-US.'),
    voiceConfig: anyObject.optional().describe('The voice of a single speaker.'),
    multiSpeakerVoiceConfig: anyObject.optional().describe('The voices of several speakers.'),
  })
  .nullish()
  .describe('Speech options, if the modalities include AUDIO.');

const generationConfig = z
  .looseObject({
    temperature: number('Sampling temperature: 0 is steady, higher is more varied.', 0, 2),
    topP: number('Share of probability to sample from; an alternative to temperature.', 0, 1),
    topK: number('How many of the likeliest tokens to sample from.', 0, Number.MAX_SAFE_INTEGER),
    maxOutputTokens: count('Most tokens to write, thinking included.', 1),
    candidateCount: count('How many replies to write.', 1, 128),
    stopSequences: z.array(text).nullish().describe('Text at which the model stops; five at most.'),
    seed: z.int().nullish().describe('Same seed and same request: the same reply, as far as the model can.'),
    presencePenalty: number('Above 0 discourages words that were already used.', -2, 2),
    frequencyPenalty: number('Above 0 discourages words more, the more often they were used.', -2, 2),
    responseMimeType: text
      .nullish()
      .describe('Format of the reply: text/plain, application/json, text/x.enum.'),
    responseSchema: anyObject.nullish().describe('Schema the JSON of the reply must fit (OpenAPI form).'),
    responseJsonSchema: z
      .unknown()
      .optional()
      .describe('Schema the JSON of the reply must fit (JSON Schema).'),
    responseFormat: z
      .unknown()
      .optional()
      .describe(
        'Form of the reply as later models take it: a list with one element for each kind of output.',
      ),
    responseModalities: z.array(text).nullish().describe('Requested kinds of output: TEXT, IMAGE, AUDIO.'),
    responseLogprobs: flag.nullish().describe('Return the log probability of each token.'),
    logprobs: count('How many likely tokens to return at each place; needs responseLogprobs.', 0, 20),
    mediaResolution: text
      .nullish()
      .describe('How closely to look at pictures, such as MEDIA_RESOLUTION_LOW.'),
    thinkingConfig,
    imageConfig,
    speechConfig,
  })
  .nullish()
  .describe('How to write the reply.');

const toolConfig = z
  .looseObject({
    functionCallingConfig: z
      .looseObject({
        mode: text.optional().describe('AUTO, ANY, NONE or VALIDATED.'),
        allowedFunctionNames: z.array(text).optional().describe('The only functions that may be called.'),
      })
      .optional()
      .describe('Whether functions may or must be called.'),
    retrievalConfig: anyObject.optional().describe('Place and language for search and maps.'),
  })
  .nullish()
  .describe('How tools are used.');

const tool = z
  .looseObject({
    functionDeclarations: z
      .array(
        z.looseObject({
          name: text.describe('Name the model calls the function by.'),
          description: text.optional().describe('What the function does and when to use it.'),
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
  cachedContent: text.nullish().describe('Name of a stored beginning of the conversation, cachedContents/….'),
});

/** The body of a request of content generation. Unknown fields pass through. */
export type ContentGenerationRequest = z.infer<typeof contentGenerationRequest>;

/** One turn of the conversation. */
export type Content = z.infer<typeof content>;

/** One part of a turn. */
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
  /** In place of candidates when the prompt was blocked. */
  readonly promptFeedback?: { readonly blockReason: string };
  /** Cumulative. `candidatesTokenCount` lacks the thoughts; the total includes them. */
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
