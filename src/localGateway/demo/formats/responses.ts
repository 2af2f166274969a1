import { decodeResponses } from '../../../wire/apis/responses/encode.ts';
import { type ResponsesRequest, responsesRequest } from '../../../wire/apis/responses/request.ts';
import { responsesReplies } from '../../../wire/apis/responses/writeReply.ts';
import { messagesOf, refuseKept, schemaOf } from '../prompt.ts';
import { demoFormat, type UnderstoodRequest } from './demoFormat.ts';
import { responsesTools } from './tools.ts';
import { writtenBy } from './writtenReply.ts';

/** How the demo speaks responses. */
export const responsesDemo = demoFormat(responsesRequest, understand);

function understand(request: ResponsesRequest): UnderstoodRequest {
  const format = request.text?.format;
  const schema = schemaOf(format?.type === 'json_schema', format?.schema, 'text.format.schema');
  refuseKept(request, {
    background: 'response to be read later; leave it out',
    previous_response_id: 'earlier response; send the conversation in input',
    conversation: 'conversation; send it in input',
    prompt: 'template; send its text in input',
  });
  const { tool_choice: choice } = request;
  const signs = request.include?.includes('reasoning.encrypted_content') === true;
  return {
    prompt: {
      model: request.model,
      messages: messagesOf(() => decodeResponses(request)),
      choices: 1,
      maxTokens: request.max_output_tokens ?? Infinity,
      stop: [],
      json: isJson(request),
      schema,
      thinking: request.reasoning?.effort !== 'none',
      tools: responsesTools(request),
      picture: typeof choice === 'object' && choice?.type === 'image_generation',
    },
    streamed: request.stream === true,
    ...writtenBy(responsesReplies(request), { prefix: 'resp_demo_', signs }),
  };
}

function isJson({ text }: ResponsesRequest): boolean {
  return text?.format?.type === 'json_object';
}
