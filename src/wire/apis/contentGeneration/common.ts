import {
  type CommonFields,
  type FieldPath,
  otherWord,
  outputLimitAt,
  type PlacedField,
  responseFormatAt,
  temperatureAt,
  toolsAt,
} from '../commonParameters.ts';
import { declarationsIn, isProvidersOwn } from '../functionTools.ts';

const words = ['none', 'minimal', 'low', 'medium', 'high'];

const budgetPath: FieldPath = ['generationConfig', 'thinkingConfig', 'thinkingBudget'];
const levelPath: FieldPath = ['generationConfig', 'thinkingConfig', 'thinkingLevel'];

/** Models that know a budget and refuse a level. All later ones know a level. */
const budgetModel = /gemini-(1|2)(\D|$)/;

/** What the provider itself takes the words for where a model knows budgets only, in tokens. */
const budgets: Readonly<Record<string, number>> = { minimal: 1024, low: 1024, medium: 8192, high: 24_576 };

/** As little thinking as a model can be told: only some can be told not to think. */
function leastThinking(model: string): PlacedField {
  const isPro = /-pro(?:-|$)/.test(model);
  if (!/gemini-\d/.test(model) || budgetModel.test(model))
    return { path: budgetPath, value: isPro ? 128 : 0 };
  return { path: levelPath, value: isPro || /-flash(?:-(?!lite)|$)/.test(model) ? 'LOW' : 'MINIMAL' };
}

/** The common parameters as content generation takes them. */
export const contentGenerationCommon = {
  temperature: temperatureAt(['generationConfig', 'temperature'], 2),
  outputLimit: outputLimitAt(['generationConfig', 'maxOutputTokens']),
  reasoningEffort: {
    schema: {
      anyOf: [{ type: 'string', enum: words }, { type: 'integer', minimum: -1 }, otherWord],
    },
    paths: [levelPath, budgetPath],
    place({ reasoningEffort: effort }, model) {
      if (effort === undefined) return [];
      if (typeof effort === 'number') return [{ path: budgetPath, value: effort }];
      if (effort === 'none') return [leastThinking(model)];
      const budget = budgetModel.test(model) && Object.hasOwn(budgets, effort) ? budgets[effort] : undefined;
      return budget === undefined
        ? [{ path: levelPath, value: effort.toUpperCase() }]
        : [{ path: budgetPath, value: budget }];
    },
  },
  tools: toolsAt(
    (tool) => declarationsIn(tool).length > 0 || (isProvidersOwn(tool) && tool.type === undefined),
    (functions) => {
      if (functions.length === 0) return [];
      const declarations = functions.map(({ parameters, ...named }) => ({
        ...named,
        ...(parameters && { parametersJsonSchema: parameters }),
      }));
      return [{ functionDeclarations: declarations }];
    },
  ),
  ...responseFormatAt(
    ['responseMimeType', 'responseSchema', 'responseJsonSchema'].map((name) => ['generationConfig', name]),
    ['generationConfig', 'responseJsonSchema'],
    (format, schema) => [
      {
        path: ['generationConfig', 'responseMimeType'],
        value: format === 'text' ? 'text/plain' : 'application/json',
      },
      ...(schema ? [{ path: ['generationConfig', 'responseJsonSchema'], value: schema }] : []),
    ],
  ),
} satisfies CommonFields;
