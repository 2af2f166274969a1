import type { JsonObject } from '../../../base/json.ts';
import { addObjectType, isMessagesTool, isProviderTool, type ToolFunction } from '../shared/functionTools.ts';
import {
  type CommonFields,
  createOutputLimitField,
  createResponseFormatFields,
  createTemperatureField,
  createToolsField,
  type PlacedField,
} from '../shared/requestSettings.ts';
import {
  acceptsSampling,
  alwaysThinks,
  canThink,
  chooseOutputLimit,
  findMaximumOutput,
  hidesThinking,
  thinksAdaptively,
  toSupportedEffort,
  usesEffortWords,
} from './modelGenerations.ts';

/** The lowest budget for thinking, in tokens. */
export const minBudget = 1024;

/** The tokens that a budget leaves for the visible reply if the request has no output limit. */
const visibleReplyTokens = 4096;

/** The budgets for the effort words, in tokens. */
const highBudget = 16_384;
const budgets: Readonly<Record<string, number>> = { low: 2048, medium: 8192, high: highBudget };

const thinkingPath = ['thinking'];
const effortPath = ['output_config', 'effort'];

const temperature = createTemperatureField(['temperature'], 1);

export const messagesCommon = {
  temperature: {
    ...temperature,
    place: (parameters, model) => (acceptsSampling(model) ? temperature.place(parameters, model) : []),
  },
  outputLimit: createOutputLimitField(['max_tokens']),
  reasoningEffort: {
    schema: {
      anyOf: [
        { type: 'string', enum: ['none', 'adaptive', 'low', 'medium', 'high'] },
        { type: 'integer', minimum: minBudget },
      ],
    },
    paths: [thinkingPath, effortPath],
    place(parameters, model) {
      const { reasoningEffort: effort, outputLimit } = parameters;
      if (effort === undefined || !canThink(model)) return [];
      if (effort === 'none') return placeNoThinking(model);
      if (effort === 'adaptive' && thinksAdaptively(model))
        return [{ path: thinkingPath, value: createAdaptiveThinking(model) }];
      if (usesEffortWords(model)) return placeEffortWord(effort, outputLimit, model);
      const budget = chooseBudget(effort, outputLimit, model);
      if (budget === undefined) return [];
      return [
        { path: thinkingPath, value: { type: 'enabled', budget_tokens: budget } },
        ...placeLimit(outputLimit, model, budget),
      ];
    },
  },
  tools: createToolsField(
    (tool) => isMessagesTool(tool) || (isProviderTool(tool) && tool.type !== undefined),
    (functions) => functions.map(writeTool),
  ),
  ...createResponseFormatFields(
    [['output_config', 'format']],
    ['output_config', 'format', 'schema'],
    (_, schema) =>
      schema ? [{ path: ['output_config', 'format'], value: { type: 'json_schema', schema } }] : [],
    // The format does not support JSON without a schema. Text is the default.
    ['text', 'json_schema'],
  ),
} satisfies CommonFields;

/** A function as a tool of the messages format. */
export function writeTool({ name, description, parameters }: ToolFunction): JsonObject {
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: addObjectType(parameters),
  };
}

/** Adaptive thinking whose text is part of the reply. */
export function createAdaptiveThinking(model: string): object {
  return { type: 'adaptive', ...(hidesThinking(model) && { display: 'summarized' }) };
}

function placeEffortWord(
  effort: string | number,
  outputLimit: number | undefined,
  model: string,
): readonly PlacedField[] {
  const word = toSupportedEffort(effort, model);
  if (word === undefined) return [];
  return [
    { path: thinkingPath, value: createAdaptiveThinking(model) },
    { path: effortPath, value: word },
    ...placeLimit(outputLimit, model, budgets[word] ?? 2 * highBudget),
  ];
}

function placeNoThinking(model: string): readonly PlacedField[] {
  return alwaysThinks(model)
    ? [{ path: effortPath, value: 'low' }]
    : [{ path: thinkingPath, value: { type: 'disabled' } }];
}

/** The output limit, which includes thinking. A limit of the caller is not changed. */
function placeLimit(
  outputLimit: number | undefined,
  model: string,
  thinking: number,
): readonly PlacedField[] {
  return outputLimit === undefined
    ? [{ path: ['max_tokens'], value: chooseOutputLimit(model, thinking) }]
    : [];
}

/** The budget for an effort, below the output limit. For an effort word, at most half of the caller's limit. */
function chooseBudget(
  effort: string | number,
  outputLimit: number | undefined,
  model: string,
): number | undefined {
  const budget = typeof effort === 'number' ? effort : findBudget(effort);
  if (budget === undefined || budget < minBudget) return undefined;
  if (outputLimit === undefined) return Math.min(budget, findMaximumOutput(model) - visibleReplyTokens);
  if (outputLimit <= minBudget) return undefined;
  if (typeof effort === 'number' && effort < outputLimit) return effort;
  return Math.max(minBudget, Math.min(budget, Math.floor(outputLimit / 2)));
}

function findBudget(effort: string): number | undefined {
  if (effort === 'adaptive') return budgets.medium;
  return Object.hasOwn(budgets, effort) ? budgets[effort] : undefined;
}
