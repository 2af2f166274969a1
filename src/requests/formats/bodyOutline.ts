import { isObject, parseJson } from '../../base/json.ts';

/** Names of members in requests of all API formats. Other names may have been chosen by the caller. */
const knownNames = createWordSet(
  'model models messages contents input instructions system systemInstruction',
  'role content parts type text image_url inlineData fileData source data url',
  'mimeType mime_type media_type name id detail file input_audio thought signature',
  'tool_calls tool_call_id tool_use_id call_id function arguments args output result',
  'functionCall functionResponse response thoughtSignature cache_control is_error steps',
  'tools tool_choice toolConfig functionDeclarations parameters description strict',
  'input_schema parametersJsonSchema properties required items enum schema json_schema',
  'parallel_tool_calls response_format responseMimeType responseSchema format',
  'stream stream_options include_usage background store include n seed stop',
  'temperature top_p top_k topP topK frequency_penalty presence_penalty logprobs',
  'max_tokens max_completion_tokens max_output_tokens maxOutputTokens stop_sequences',
  'stopSequences candidateCount generationConfig generation_config thinkingConfig thinking',
  'thinkingBudget includeThoughts thinkingLevel budget_tokens reasoning reasoning_effort',
  'effort summary verbosity service_tier output_config modalities responseModalities',
  'metadata user previous_response_id previous_interaction_id safetySettings truncation',
  'prompt negative_prompt size seconds duration resolution ratio watermark',
);

/** Words of the API formats. Any other text may be part of the user's message. */
const knownWords = createWordSet(
  'user assistant system developer tool model function',
  'text input_text output_text image image_url input_image input_audio input_file',
  'file document message reasoning refusal thinking redacted_thinking tool_use',
  'tool_result function_call function_call_output function_result user_input model_output',
  'json_object json_schema object string number integer boolean array base64 url',
  'enabled disabled adaptive ephemeral auto none any required default flex',
  'minimal low medium high xhigh max concise detailed priority custom',
);

/** Below these members every value may be part of the user's message, including numbers. */
const messageMembers = createWordSet(
  'messages contents input instructions system systemInstruction prompt tools',
  'metadata user steps response_format responseSchema stop parameters',
);

/** A deeper outline does not help, and deeper bodies cannot be written. */
const maxDepth = 100;

/** Outlines a request's body: the members that API formats define, with the lengths of their texts. */
export function outlineBody(body: string): string {
  const value = parseJson(body);
  if (!isObject(value)) return describeLength(body);
  return JSON.stringify(outlineValue(value, false, 0), undefined, 2);
}

function outlineValue(value: unknown, isInMessage: boolean, depth: number): unknown {
  if (depth > maxDepth) return '(nested deeper)';
  if (typeof value === 'string') return knownWords.has(value) ? value : describeLength(value);
  if (typeof value === 'number') return isInMessage ? '(number)' : value;
  if (Array.isArray(value)) return value.map((each) => outlineValue(each, isInMessage, depth + 1));
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  const known = members.filter(([name]) => knownNames.has(name));
  const others = members.length - known.length;
  return {
    ...Object.fromEntries(
      known.map(([name, each]) => [
        name,
        outlineValue(each, isInMessage || messageMembers.has(name), depth + 1),
      ]),
    ),
    ...(others > 0 && { '(other members)': others }),
  };
}

function createWordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Describes a text by its length. */
export function describeLength(text: string): string {
  return `(${text.length} characters)`;
}
