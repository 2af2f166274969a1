import { isMessagesTool, isProvidersOwn, withObjectType } from '../format/functionTools.ts';
import {
  type CommonFields,
  outputLimitAt,
  type PlacedField,
  responseFormatAt,
  temperatureAt,
  toolsAt,
} from '../format/requestSettings.ts';
import {
  alwaysThinks,
  hidesThinking,
  knownEffort,
  maximumOutput,
  outputLimitFor,
  takesSampling,
  thinks,
  thinksAdaptively,
  thinksByWord,
} from './generations.ts';

/** The least that a model may be given to think, in tokens. */
export const leastBudget = 1024;

/** The tokens that a budget leaves to the answer, if the model can write so many. */
const answerTokens = 4096;

/** The words for a budget, in tokens. */
const highBudget = 16_384;
const budgets: Readonly<Record<string, number>> = { low: 2048, medium: 8192, high: highBudget };

const thinkingPath = ['thinking'];
const effortPath = ['output_config', 'effort'];

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
    paths: [thinkingPath, effortPath],
    place(parameters, model) {
      const { reasoningEffort: effort, outputLimit } = parameters;
      if (effort === undefined || !thinks(model)) return [];
      if (effort === 'none') return placeNone(model);
      if (effort === 'adaptive' && thinksAdaptively(model))
        return [{ path: thinkingPath, value: adaptiveThinking(model) }];
      if (thinksByWord(model)) return placeWord(effort, outputLimit, model);
      const budget = budgetOf(effort, outputLimit, model);
      if (budget === undefined) return [];
      return [
        { path: thinkingPath, value: { type: 'enabled', budget_tokens: budget } },
        ...placeLimit(outputLimit, model, budget),
      ];
    },
  },
  tools: toolsAt(
    (tool) => isMessagesTool(tool) || (isProvidersOwn(tool) && tool.type !== undefined),
    (functions) =>
      functions.map(({ parameters, ...named }) => ({
        ...named,
        input_schema: withObjectType(parameters),
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
  return [
    { path: thinkingPath, value: adaptiveThinking(model) },
    { path: effortPath, value: word },
    ...placeLimit(outputLimit, model, budgets[word] ?? 2 * highBudget),
  ];
}

function placeNone(model: string): readonly PlacedField[] {
  return alwaysThinks(model)
    ? [{ path: effortPath, value: 'low' }]
    : [{ path: thinkingPath, value: { type: 'disabled' } }];
}

/** The limit counts thinking too: without one from the caller, thinking takes nothing from the answer. */
function placeLimit(
  outputLimit: number | undefined,
  model: string,
  thinking: number,
): readonly PlacedField[] {
  return outputLimit === undefined ? [{ path: ['max_tokens'], value: outputLimitFor(model, thinking) }] : [];
}

/** The budget, which has to be below the limit. A word leaves half of the caller's limit to the answer. */
function budgetOf(
  effort: string | number,
  outputLimit: number | undefined,
  model: string,
): number | undefined {
  const wanted = typeof effort === 'number' ? effort : budgetOfWord(effort);
  if (wanted === undefined || wanted < leastBudget) return undefined;
  if (outputLimit === undefined) return Math.min(wanted, maximumOutput(model) - answerTokens);
  if (outputLimit <= leastBudget) return undefined;
  if (typeof effort === 'number' && effort < outputLimit) return effort;
  return Math.max(leastBudget, Math.min(wanted, Math.floor(outputLimit / 2)));
}

function budgetOfWord(effort: string): number | undefined {
  if (effort === 'adaptive') return budgets.medium;
  return Object.hasOwn(budgets, effort) ? budgets[effort] : undefined;
}
