import { isProviderTool, readDeclarations } from '../shared/functionTools.ts';
import {
  type CommonFields,
  createOutputLimitField,
  createResponseFormatFields,
  createTemperatureField,
  createToolsField,
  type FieldPath,
  otherWordSchema,
  type PlacedField,
} from '../shared/requestSettings.ts';

const effortWords = ['none', 'minimal', 'low', 'medium', 'high'];

const budgetPath: FieldPath = ['generationConfig', 'thinkingConfig', 'thinkingBudget'];
const levelPath: FieldPath = ['generationConfig', 'thinkingConfig', 'thinkingLevel'];

/** Models that support a budget and refuse a level. All later models support a level. */
const budgetModel = /gemini-(1|2)(\D|$)/;

/** Models that cannot think. They refuse any thinking setting. */
export const nonThinkingModel = /gemini-(?:1\.|2\.0|2\.5-flash(?:-preview)?-image)|gemini-.*-tts|gemma-[123]/;

/** The provider's own budgets for the effort words, in tokens, for models that only support budgets. */
const budgets: Readonly<Record<string, number>> = { minimal: 1024, low: 1024, medium: 8192, high: 24_576 };

const proModel = /-pro(?:-|$)/;

/** The lowest budget except 0, and the highest, in tokens. */
function findBudgetRange(model: string): readonly [lowest: number, highest: number] {
  if (proModel.test(model)) return [128, 32_768];
  return [/-lite(?:-|$)/.test(model) ? 512 : 1, 24_576];
}

/** The nearest budget that the model accepts. With a negative budget the model decides; some models refuse 0. */
function placeBudget(budget: number, model: string): PlacedField {
  if (!/gemini-/.test(model)) return { path: budgetPath, value: budget };
  const [lowest, highest] = findBudgetRange(model);
  const isOff = budget === 0 && !proModel.test(model);
  return {
    path: budgetPath,
    value: budget < 0 || isOff ? budget : Math.min(Math.max(budget, lowest), highest),
  };
}

/** The fields for adaptive thinking: a negative budget for models with budgets, no field for later models. */
export function placeAdaptiveThinking(model: string): readonly PlacedField[] {
  return budgetModel.test(model) ? [{ path: budgetPath, value: -1 }] : [];
}

/** The least thinking that a model supports. Only some models can disable thinking. */
function placeLeastThinking(model: string): PlacedField {
  const isGemini = /gemini-/.test(model);
  if (!isGemini || budgetModel.test(model)) return placeBudget(0, model);
  return { path: levelPath, value: chooseThinkingLevel('minimal', model).toUpperCase() };
}

/** The level for an effort word that the model accepts. */
export function chooseThinkingLevel(word: string, model: string): string {
  if (word === 'xhigh' || word === 'max') return 'high';
  if (word === 'medium') return /gemini-3-pro/.test(model) ? 'high' : word;
  if (word !== 'none' && word !== 'minimal') return word;
  return proModel.test(model) || /-flash(?:-(?!lite)|$)/.test(model) ? 'low' : 'minimal';
}

/** Whether fields of a request disable thinking. Such a request must not request thoughts. */
export function disablesThinking(fields: readonly PlacedField[]): boolean {
  return fields.some(({ path, value }) => path === budgetPath && value === 0);
}

export const contentGenerationCommon = {
  temperature: createTemperatureField(['generationConfig', 'temperature'], 2),
  outputLimit: createOutputLimitField(['generationConfig', 'maxOutputTokens']),
  reasoningEffort: {
    schema: {
      anyOf: [{ type: 'string', enum: effortWords }, { type: 'integer', minimum: -1 }, otherWordSchema],
    },
    paths: [levelPath, budgetPath],
    place({ reasoningEffort: effort }, model) {
      // `adaptive` is a word of another format. Adaptive thinking is the default of these models.
      if (effort === undefined || effort === 'adaptive' || nonThinkingModel.test(model)) return [];
      if (effort === 'none' || effort === 0) return [placeLeastThinking(model)];
      if (typeof effort === 'number') return [placeBudget(effort, model)];
      const level = chooseThinkingLevel(effort, model);
      const budget = budgetModel.test(model) && Object.hasOwn(budgets, level) ? budgets[level] : undefined;
      return budget === undefined
        ? [{ path: levelPath, value: level.toUpperCase() }]
        : [{ path: budgetPath, value: budget }];
    },
  },
  tools: createToolsField(
    (tool) => readDeclarations(tool).length > 0 || (isProviderTool(tool) && tool.type === undefined),
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
  ...createResponseFormatFields(
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
