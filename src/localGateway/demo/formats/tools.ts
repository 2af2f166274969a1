import { isObject, type JsonObject, nonEmptyString } from '../../../base/json.ts';
import type { ChatCompletionsRequest } from '../../../wire/apis/chatCompletions/request.ts';
import type { ContentGenerationRequest } from '../../../wire/apis/contentGeneration/request.ts';
import type { InteractionsRequest } from '../../../wire/apis/interactions/request.ts';
import type { MessagesRequest } from '../../../wire/apis/messages/request.ts';
import type { ResponsesRequest } from '../../../wire/apis/responses/request.ts';
import type { OfferedTool, ToolOffer } from '../prompt.ts';

// Each format has its own fields for tools, and for whether one may or must be called.

export function chatTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ChatCompletionsRequest): ToolOffer {
  const offered = objects(tools).flatMap(({ function: it }) =>
    isObject(it) ? toolOf(it, it.parameters) : [],
  );
  const allowed = isObject(choice) && isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  return offer(offered, modeOf(allowed), namesIn(allowed), parallel !== false);
}

export function responsesTools({
  tools,
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: ResponsesRequest): ToolOffer {
  const offered = objects(tools)
    .filter(({ type }) => type === 'function')
    .flatMap((tool) => toolOf(tool, tool.parameters));
  return offer(offered, modeOf(choice), namesIn(choice), parallel !== false);
}

export function messagesTools({ tools, tool_choice: choice }: MessagesRequest): ToolOffer {
  const offered = objects(tools)
    .filter(({ input_schema }) => input_schema !== undefined)
    .flatMap((tool) => toolOf(tool, tool.input_schema));
  const alone = isObject(choice) && choice.disable_parallel_tool_use === true;
  return offer(offered, modeOf(choice), namesIn(choice), !alone);
}

export function generationTools({ tools, toolConfig }: ContentGenerationRequest): ToolOffer {
  const offered = objects(tools)
    .flatMap(({ functionDeclarations }) => objects(functionDeclarations))
    .flatMap((tool) => toolOf(tool, tool.parametersJsonSchema ?? tool.parameters));
  const { mode, allowedFunctionNames } = toolConfig?.functionCallingConfig ?? {};
  return offer(offered, mode, allowedFunctionNames, true);
}

export function interactionsTools({ tools, generation_config }: InteractionsRequest): ToolOffer {
  const choice = generation_config?.tool_choice;
  const offered = objects(tools)
    .filter(({ type }) => type === 'function')
    .flatMap((tool) => toolOf(tool, tool.parameters));
  const allowed = isObject(choice) && isObject(choice.allowed_tools) ? choice.allowed_tools : choice;
  return offer(offered, modeOf(allowed), namesIn(allowed), true);
}

function objects(list: unknown): readonly JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function toolOf({ name }: JsonObject, schema: unknown): OfferedTool | [] {
  const called = nonEmptyString(name);
  return called === undefined ? [] : { name: called, schema: isObject(schema) ? schema : {} };
}

/** The mode of a tool choice, which is a string, or an object with a mode or a type. */
function modeOf(choice: unknown): unknown {
  return isObject(choice) ? (choice.mode ?? choice.type) : choice;
}

/** The names in a tool choice: one, or a list of names or of objects with names. */
function namesIn(choice: unknown): readonly unknown[] | undefined {
  if (!isObject(choice)) return undefined;
  if (Array.isArray(choice.tools)) return choice.tools.map(nameIn);
  const name = nameIn(choice);
  return name === undefined ? undefined : [name];
}

function nameIn(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  return tool.name ?? (isObject(tool.function) ? tool.function.name : undefined);
}

const demanding: ReadonlySet<string> = new Set(['required', 'any', 'tool', 'function']);

function offer(
  tools: readonly OfferedTool[],
  mode: unknown,
  names: readonly unknown[] | undefined,
  parallel: boolean,
): ToolOffer {
  const word = typeof mode === 'string' ? mode.toLowerCase() : 'auto';
  const allowed = names ? tools.filter(({ name }) => names.includes(name)) : tools;
  return { tools: word === 'none' ? [] : allowed, required: demanding.has(word), parallel };
}
