import {
  type CommonFields,
  type CommonParameters,
  outputLimitAt,
  responseFormatAt,
  temperatureAt,
  toolsAt,
} from '../commonParameters.ts';
import { isMessagesTool, isProvidersOwn } from '../functionTools.ts';

/** The least that a model may be given to think, in tokens. */
const leastBudget = 1024;

/** The tokens left for the answer where thinking makes the limit. */
const answerTokens = 4096;

/** The words for a budget, in tokens. */
const budgets: Readonly<Record<string, number>> = { low: 2048, medium: 8192, high: 16_384 };

/** The common parameters as messages take them. */
export const messagesCommon = {
  temperature: temperatureAt(['temperature'], 1),
  outputLimit: outputLimitAt(['max_tokens']),
  reasoningEffort: {
    schema: {
      anyOf: [
        { type: 'string', enum: ['none', 'adaptive', 'low', 'medium', 'high'] },
        { type: 'integer', minimum: leastBudget },
      ],
    },
    paths: [['thinking']],
    place(parameters) {
      const { reasoningEffort: effort, outputLimit } = parameters;
      const thinking = { path: ['thinking'] };
      if (effort === 'none') return [{ ...thinking, value: { type: 'disabled' } }];
      if (effort === 'adaptive') return [{ ...thinking, value: { type: 'adaptive' } }];
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

/** A budget in tokens as it was set; one in a word leaves room for the answer within the limit. */
function budgetOf({ reasoningEffort: effort, outputLimit }: CommonParameters): number | undefined {
  if (typeof effort === 'number') return effort >= leastBudget ? effort : undefined;
  if (effort === undefined || !Object.hasOwn(budgets, effort)) return undefined;
  const most = outputLimit === undefined ? Infinity : Math.floor(outputLimit / 2);
  return Math.max(leastBudget, Math.min(budgets[effort] ?? leastBudget, most));
}
