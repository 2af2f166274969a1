import type { ChatResult } from '../../../client/types.ts';
import type { Question } from '../../../conversations/conversation/turn.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { ContinuationForm } from '../../../wire/continuation.ts';
import type { ModelNotes } from '../../models/modelNotes.ts';
import type { ChatGateway } from './chatGateway.ts';

/** How the model of a question is asked to go on with a reply: by its text where the model is known to take that. */
export function continuationForm(
  { model, format, parameters }: Question,
  { now }: ChatGateway,
  { memory }: ModelNotes,
): ContinuationForm {
  if (!now || memory.refusesPrefix(now.gateway, model)) return 'instruction';
  const told = now.state.models.find(({ id }) => id === model)?.takesPrefix;
  return textFormat(format).prefix?.isTaken({ model, told, parameters }) ? 'prefix' : 'instruction';
}

/** Notes that a prefix was refused, so that the user's next attempt asks by an instruction. */
export function notePrefix(
  { model }: Question,
  { now }: ChatGateway,
  { memory }: ModelNotes,
  { outcome }: ChatResult,
): void {
  const isRefused = outcome.kind === 'failed' && outcome.error.kind === 'invalid-parameters';
  if (isRefused && now) memory.refusedPrefix(now.gateway, model);
}
