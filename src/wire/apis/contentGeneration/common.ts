import { declarationsIn, isProvidersOwn } from '../format/functionTools.ts';
import {
  type CommonFields,
  type FieldPath,
  otherWord,
  outputLimitAt,
  type PlacedField,
  responseFormatAt,
  temperatureAt,
  toolsAt,
} from '../format/requestSettings.ts';

const words = ['none', 'minimal', 'low', 'medium', 'high'];

const budgetPath: FieldPath = ['generationConfig', 'thinkingConfig', 'thinkingBudget'];
const levelPath: FieldPath = ['generationConfig', 'thinkingConfig', 'thinkingLevel'];

/** Models that know a budget and refuse a level. All later ones know a level. */
const budgetModel = /gemini-(1|2)(\D|$)/;

/** Models that cannot think, and refuse any setting of it. */
export const thoughtlessModel = /gemini-(?:1\.|2\.0|2\.5-flash(?:-preview)?-image)|gemini-.*-tts|gemma-[123]/;

/** What the provider itself takes the words for where a model knows budgets only, in tokens. */
const budgets: Readonly<Record<string, number>> = { minimal: 1024, low: 1024, medium: 8192, high: 24_576 };

const proModel = /-pro(?:-|$)/;

/** The least budget but 0, and the largest, in tokens. */
function budgetRange(model: string): readonly [least: number, most: number] {
  if (proModel.test(model)) return [128, 32_768];
  return [/-lite(?:-|$)/.test(model) ? 512 : 1, 24_576];
}

/** A budget that the model takes: a negative one leaves it to the model, and only some models take 0. */
function placeBudget(budget: number, model: string): PlacedField {
  if (!/gemini-/.test(model)) return { path: budgetPath, value: budget };
  const [least, most] = budgetRange(model);
  const isOff = budget === 0 && !proModel.test(model);
  return { path: budgetPath, value: budget < 0 || isOff ? budget : Math.min(Math.max(budget, least), most) };
}

/** As much thinking as needed: models with a budget take a negative one for that. */
export function neededThinking(model: string): readonly PlacedField[] {
  return budgetModel.test(model) ? [{ path: budgetPath, value: -1 }] : [];
}

/** As little thinking as a model can be told: only some can be told not to think. */
function leastThinking(model: string): PlacedField {
  const isGemini = /gemini-/.test(model);
  if (!isGemini || budgetModel.test(model)) return placeBudget(0, model);
  return { path: levelPath, value: thinkingLevel('minimal', model).toUpperCase() };
}

/** The level for a word for an effort, as the model knows it. */
export function thinkingLevel(word: string, model: string): string {
  if (word === 'xhigh' || word === 'max') return 'high';
  if (word === 'medium') return /gemini-3-pro/.test(model) ? 'high' : word;
  if (word !== 'none' && word !== 'minimal') return word;
  return proModel.test(model) || /-flash(?:-(?!lite)|$)/.test(model) ? 'low' : 'minimal';
}

/** Whether fields of a request switch thinking off; such a request must not ask for thoughts. */
export function switchesThinkingOff(fields: readonly PlacedField[]): boolean {
  return fields.some(({ path, value }) => path === budgetPath && value === 0);
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
      // Another format's word for thinking as much as is needed, which these models do by themselves.
      if (effort === undefined || effort === 'adaptive' || thoughtlessModel.test(model)) return [];
      if (effort === 'none' || effort === 0) return [leastThinking(model)];
      if (typeof effort === 'number') return [placeBudget(effort, model)];
      const level = thinkingLevel(effort, model);
      const budget = budgetModel.test(model) && Object.hasOwn(budgets, level) ? budgets[level] : undefined;
      return budget === undefined
        ? [{ path: levelPath, value: level.toUpperCase() }]
        : [{ path: budgetPath, value: budget }];
    },
  },
  tools: toolsAt(
    (tool) => declarationsIn(tool).length > 0 || (isProvidersOwn(tool) && tool.type === undefined),
    (functions) => {
      if (functions.length === 0) return [];
      const declarations = functions.map(({ parameters, ...named }) => ({
        ...named,
        // An empty schema has no type, which the provider requires.
        ...(Object.keys(parameters ?? {}).length > 0 && { parametersJsonSchema: parameters }),
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
