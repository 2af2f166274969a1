import { isObject, jsonText, nonEmptyString } from '../base/json.ts';
import { firstValue } from '../wire/apis/taskRecord/firstValue.ts';
import { objectsOf } from '../wire/apis/taskRecord/objects.ts';
import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';
import type { Task } from './task.ts';

/** How far the clocks of a gateway and of this machine may differ. */
const maxSkewMs = 5 * 60_000;
/**
 * The longest time between a request and its reply or its failure. The task may be made at any moment
 * between.
 */
const maxRequestMs = 30 * 60_000;
const hourMs = 3_600_000;
/**
 * The widest distance between two time zones, for times without a zone. All zones differ by quarters of an
 * hour.
 */
const maxZoneMs = 26 * hourMs;
const zoneStepMs = hourMs / 4;

/**
 * Compares a task of the gateway with one whose outcome is unknown. `same`: its record holds our request id
 * or key. `like`: everything in it agrees. `maybe`: it tells too little, or its prompt differs, since some
 * gateways rewrite prompts.
 */
export function matchTask(own: Task, found: TaskSnapshot): 'same' | 'like' | 'maybe' | 'different' {
  const record = jsonText(found.raw) ?? '';
  if ([own.requestId, own.key].some((id) => id !== undefined && record.includes(JSON.stringify(id)))) {
    return 'same';
  }
  const objects = objectsOf(found.raw);
  const model = firstValue(objects, ['model', 'model_name', 'modelName', 'model_id'], nonEmptyString);
  if (model !== undefined && own.model !== undefined && bare(model) !== bare(own.model)) return 'different';
  const time = timeOf(own, found);
  if (time === 'other') return 'different';
  const prompt = firstValue(objects, ['prompt', 'orig_prompt', 'input'], promptIn);
  const samePrompt = prompt === undefined || own.prompt === '' || prompt.trim() === own.prompt.trim();
  return time === 'right' && samePrompt ? 'like' : 'maybe';
}

/** Gateways write the provider before the id of a model. */
function bare(model: string): string {
  return model.slice(model.lastIndexOf('/') + 1).toLowerCase();
}

function timeOf(
  { submittedAt, intendedAt }: Task,
  { createdAt, raw }: TaskSnapshot,
): 'right' | 'unclear' | 'other' {
  if (!createdAt) return 'unclear';
  const late = createdAt.getTime() - (submittedAt ?? intendedAt);
  if (late >= -maxSkewMs && late <= maxRequestMs + maxSkewMs) return 'right';
  if (!hasZonelessTime(raw) || Math.abs(late) > maxZoneMs) return 'other';
  const beyondZone = late - Math.round(late / zoneStepMs) * zoneStepMs;
  return Math.abs(beyondZone) <= maxSkewMs ? 'unclear' : 'other';
}

function hasZonelessTime(raw: unknown): boolean {
  return /"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?"/.test(jsonText(raw) ?? '');
}

function promptIn(value: unknown): string | undefined {
  return isObject(value) ? nonEmptyString(value.prompt ?? value.text) : nonEmptyString(value);
}
