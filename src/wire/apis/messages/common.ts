import {
  type CommonFields,
  type CommonParameters,
  outputLimitAt,
  type PlacedField,
  responseFormatAt,
  temperatureAt,
  toolsAt,
} from '../commonParameters.ts';
import { isMessagesTool, isProvidersOwn } from '../functionTools.ts';
import { hidesThinking, knownEffort, takesSampling, thinksByWord } from './generations.ts';

/** The least that a model may be given to think, in tokens. */
const leastBudget = 1024;

/** The tokens left for the answer where thinking makes the limit. */
const answerTokens = 4096;

/** The words for a budget, in tokens. */
const highBudget = 16_384;
const budgets: Readonly<Record<string, number>> = { low: 2048, medium: 8192, high: highBudget };

const temperature = temperatureAt(['temperature'], 1);

/** The common parameters as messages take them. */
export const messagesCommon = {
  temperature: {
    ...temperature,
    place: (parameters, model) => (takesSampling(model) ? temperature.place(parameters, model) : []),
  },
  outputLimit: outputLimitAt(['max_tokens']),
  reasoningEffort: {
    schema: {
      anyOf: [
        { type: 'string', enum: ['none', 'adaptive', 'low', 'medium', 'high'] },
        { type: 'integer', minimum: leastBudget },
      ],
    },
    paths: [['thinking'], ['output_config', 'effort']],
    place(parameters, model) {
      const { reasoningEffort: effort, outputLimit } = parameters;
      const thinking = { path: ['thinking'] };
      if (effort === 'none') return [{ ...thinking, value: { type: 'disabled' } }];
      if (effort === 'adaptive') return [{ ...thinking, value: adaptiveThinking(model) }];
      if (effort !== undefined && thinksByWord(model)) return placeWord(effort, outputLimit, model);
      const budget = budgetOf(parameters);
      if (budget === undefined) return [];
      const enabled = { ...thinking, value: { type: 'enabled', budget_tokens: budget } };
      // The limit counts thinking too, and has to be above the budget.
      return outputLimit === undefined
        ? [enabled, { path: ['max_tokens'], value: budget + answerTokens }]
        : [enabled];
    },
  },
  tools: toolsAt(
    (tool) => isMessagesTool(tool) || (isProvidersOwn(tool) && tool.type !== undefined),
    (functions) =>
      functions.map(({ parameters, ...named }) => ({
        ...named,
        input_schema: { type: 'object', ...parameters },
      })),
  ),
  ...responseFormatAt(
    [['output_config', 'format']],
    ['output_config', 'format', 'schema'],
    (_, schema) =>
      schema ? [{ path: ['output_config', 'format'], value: { type: 'json_schema', schema } }] : [],
    // It has no JSON without a schema; text is what it writes by itself.
    ['text', 'json_schema'],
  ),
} satisfies CommonFields;

/** Thinking as much as the question needs, whose text is in the reply. */
export function adaptiveThinking(model: string): object {
  return { type: 'adaptive', ...(hidesThinking(model) && { display: 'summarized' }) };
}

function placeWord(
  effort: string | number,
  outputLimit: number | undefined,
  model: string,
): readonly PlacedField[] {
  const word = knownEffort(effort, model);
  if (word === undefined) return [];
  const limit = { path: ['max_tokens'], value: (budgets[word] ?? 2 * highBudget) + answerTokens };
  return [
    { path: ['thinking'], value: adaptiveThinking(model) },
    { path: ['output_config', 'effort'], value: word },
    ...(outputLimit === undefined ? [limit] : []),
  ];
}

/** A budget in tokens as it was set; one in a word leaves room for the answer within the limit. */
function budgetOf({ reasoningEffort: effort, outputLimit }: CommonParameters): number | undefined {
  if (typeof effort === 'number') return effort >= leastBudget ? effort : undefined;
  if (effort === undefined || !Object.hasOwn(budgets, effort)) return undefined;
  const most = outputLimit === undefined ? Infinity : Math.floor(outputLimit / 2);
  return Math.max(leastBudget, Math.min(budgets[effort] ?? leastBudget, most));
}
