import { readSetting } from '../kit/manifest/settings.ts';
import { ModelRules } from './modelRules.ts';

/** Returns the user's settings of models as they are now. */
export function readModelRules(): ModelRules {
  return new ModelRules(readSetting<unknown>('models'));
}
