import * as vscode from 'vscode';
import { isObject } from '../../base/json.ts';
import { truncate } from '../../base/truncate.ts';
import type { GenerateField } from '../../protocol/generatePage.ts';
import type { RecipeEntry } from '../../protocol/taskPage.ts';
import type { Task, TaskHistory } from '../../tasks/record/task.ts';
import { findVideoRoute } from '../../wire/apis/videoRoutes.ts';
import { generateFields } from './generate/generateForm.ts';

const maxFields = 40;
const maxValueLength = 200;

/** What a task was made with, in the words of the Generate form. */
export function recipeOf(task: Task, { request }: TaskHistory): readonly RecipeEntry[] {
  const { route } = task;
  const entries: RecipeEntry[] = [{ label: vscode.l10n.t('Gateway'), value: task.gatewayName }];
  if (route) {
    const label = findVideoRoute(route)?.label;
    entries.push({ label: vscode.l10n.t('Route'), value: label ?? route });
  }
  const fields = route ? generateFields(route) : [];
  const shown = leaves((request ?? {}) as Readonly<Record<string, unknown>>, [])
    .filter(({ path }) => !isShownElsewhere(path, fields))
    .slice(0, maxFields);
  return [...entries, ...shown.map((leaf) => entryOf(leaf, fields))];
}

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** All values of a nested object. */
function leaves(object: Readonly<Record<string, unknown>>, path: readonly string[]): readonly Leaf[] {
  return Object.entries(object).flatMap(([name, value]) =>
    isObject(value) ? leaves(value, [...path, name]) : [{ path: [...path, name], value }],
  );
}

/** The model and the prompt have places of their own, and every request of these routes is for a video. */
function isShownElsewhere(path: readonly string[], fields: readonly GenerateField[]): boolean {
  const name = path.join('.');
  if (name === 'model' || name === 'response_format.type') return true;
  return fields.find((field) => field.path.join('.') === name)?.control === 'prompt';
}

function entryOf({ path, value }: Leaf, fields: readonly GenerateField[]): RecipeEntry {
  const name = path.join('.');
  const field = fields.find((each) => each.path.join('.') === name);
  const sent = truncate(typeof value === 'string' ? value : JSON.stringify(value), maxValueLength);
  const shown = valueWords(value, field) ?? sent;
  return {
    label: field?.label ?? sentenceOf(path.at(-1) ?? ''),
    value: shown,
    name,
    ...(shown !== sent && !isPicture(value) && { sent }),
  };
}

function valueWords(value: unknown, field: GenerateField | undefined): string | undefined {
  if (isPicture(value)) return vscode.l10n.t('a picture');
  if (typeof value === 'boolean') return value ? vscode.l10n.t('Yes') : vscode.l10n.t('No');
  return field?.choices?.find((choice) => choice.value === value)?.label;
}

function isPicture(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('data:');
}

/** The name of a field that the form does not name, as words: "service_tier" is "Service tier". */
function sentenceOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .trim()
    .toLowerCase();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
