import { isObject } from '../../../base/json.ts';
import { readReportedCost } from '../../reportedCost.ts';
import { findValue } from './memberNames.ts';
import { findTaskObjects } from './recordObjects.ts';

/** The values that the record of an ended task reports about its video. */
interface TaskFigures {
  readonly seconds?: number;
  /** The charged cost, in US dollars. */
  readonly costUsd?: number;
}

const maxSeconds = 86_400;

/** Providers of DashScope's format count seconds in `usage`, OpenAI's videos have `seconds`. */
const usageKeys = ['output_video_duration', 'video_duration', 'video_seconds', 'seconds', 'duration'];

export function readDurationAndCost(record: unknown): TaskFigures {
  const objects = findTaskObjects(record);
  const usages = objects.map(({ usage }) => usage).filter(isObject);
  const seconds =
    findValue(usages, usageKeys, readSeconds) ??
    findValue(objects, ['video_duration', 'seconds'], readSeconds);
  const costUsd = usages.map(readReportedCost).find((cost) => cost !== undefined);
  return { ...(seconds !== undefined && { seconds }), ...(costUsd !== undefined && { costUsd }) };
}

function readSeconds(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  if (typeof value === 'string' && !/^\d{1,5}(?:\.\d{1,6})?s?$/.test(value)) return undefined;
  const seconds = Number.parseFloat(String(value));
  return seconds > 0 && seconds <= maxSeconds ? seconds : undefined;
}
