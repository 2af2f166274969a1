import { isObject } from '../../../base/json.ts';
import { decodeContentGeneration } from '../../../wire/apis/contentGeneration/encode.ts';
import {
  type ContentGenerationRequest,
  contentGenerationRequest,
} from '../../../wire/apis/contentGeneration/request.ts';
import { contentGenerationReplies } from '../../../wire/apis/contentGeneration/writeReply.ts';
import { choicesOf, messagesOf } from '../prompt.ts';
import { type DemoQuestion, demoFormat, type UnderstoodRequest } from './demoFormat.ts';
import { generationTools } from './tools.ts';
import { writtenBy } from './writtenReply.ts';

/** How the demo speaks content generation. */
export const contentGenerationDemo = demoFormat(contentGenerationRequest, understand);

function understand(
  request: ContentGenerationRequest,
  { servedModel: model, framing = 'whole' }: DemoQuestion,
): UnderstoodRequest {
  const config = request.generationConfig ?? {};
  const { thinkingConfig: thinking } = config;
  const schema = config.responseJsonSchema ?? config.responseSchema;
  return {
    prompt: {
      model,
      messages: messagesOf(() => decodeContentGeneration(request)),
      choices: choicesOf(config.candidateCount, 'generationConfig.candidateCount'),
      maxTokens: config.maxOutputTokens ?? Infinity,
      stop: config.stopSequences ?? [],
      json: config.responseMimeType === 'application/json',
      schema: isObject(schema) ? schema : undefined,
      thinking: thinking?.includeThoughts !== false && thinking?.thinkingBudget !== 0,
      tools: generationTools(request),
      picture: config.responseModalities?.some((kind) => kind.toUpperCase() === 'IMAGE') ?? false,
    },
    streamed: framing !== 'whole',
    ...writtenBy(contentGenerationReplies(framing === 'array' ? 'array' : 'events'), { prefix: '' }),
  };
}
