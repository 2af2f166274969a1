import type { ChatResult } from '../../../client/types.ts';
import type { Question } from '../../../conversations/conversation/turn.ts';
import { textFormat } from '../../../wire/apis/textFormats.ts';
import type { ContinuationForm } from '../../../wire/continuationRequest.ts';
import type { ModelChoices } from '../../models/modelChoices.ts';
import type { ChatGateway } from './chatGateway.ts';

/** Chooses the form of a request that continues a reply: a prefix with its text if the model supports prefixes. */
export function chooseContinuationForm(
  { model, format, parameters }: Question,
  { connection }: ChatGateway,
  { memory }: ModelChoices,
): ContinuationForm {
  if (!connection || memory.refusesPrefix(connection.gateway, model)) return 'instruction';
  const acceptsPrefix = connection.state.models.find(({ id }) => id === model)?.acceptsPrefix;
  return textFormat(format).prefix?.isSupported({ model, acceptsPrefix, parameters })
    ? 'prefix'
    : 'instruction';
}

/** Stores that a model refused a prefix, if the result shows that. The next attempt then uses an instruction. */
export function notePrefixRefusal(
  { model }: Question,
  { connection }: ChatGateway,
  { memory }: ModelChoices,
  { outcome }: ChatResult,
): void {
  if (outcome.kind !== 'failed') return;
  const { kind, reason } = outcome.error;
  if (kind === 'invalid-parameters' && reason !== 'cache-fields-refused' && connection)
    memory.noteRefusedPrefix(connection.gateway, model);
}
