import type { FormatRequest } from '../../../../client/types.ts';
import type { AskedModel, SaidTurn } from '../../../../conversations/said/saidTurn.ts';
import { isReasoningModel } from '../../../../wire/apis/chatCompletions/common.ts';
import { writeForm } from '../../../../wire/apis/format/requestForm.ts';
import type { RequestSettings } from '../../../../wire/apis/format/requestSettings.ts';
import { requestForms } from '../../../../wire/apis/requestForms.ts';
import { textFormat } from '../../../../wire/apis/textFormats.ts';
import type { ForeignMessage } from '../../../../wire/message.ts';
import { askedConversation } from './conversation.ts';

/** What is asked of a model. */
export interface ModelQuestion {
  readonly asked: AskedModel;
  readonly messages: readonly ForeignMessage[];
  /** What is known of the turns with calls. */
  readonly turns: ReadonlyMap<string, SaidTurn>;
  readonly settings: Partial<RequestSettings>;
  /** The most tokens that the model writes, as far as that is known. */
  readonly maxOutput?: number;
}

/** The messages format has to be told a limit; below this one, what is known of the model counts. */
const leastOutput = 8192;

/** The request in the model's own API format. What the format has no setting for is left out. */
export function modelRequest({ asked, messages, turns, settings, maxOutput }: ModelQuestion): FormatRequest {
  const { format, model } = asked;
  const form = requestForms[format];
  const isNarrow = format === 'messages' && maxOutput !== undefined && maxOutput < leastOutput;
  const writing = {
    model,
    messages: askedConversation(messages, turns, asked, form.admission),
    settings: { ...(isNarrow && { outputLimit: maxOutput }), ...settings },
    streamed: true,
  };
  const body = writeForm(form, writing, () => {});
  // What is not stored comes back encrypted, or the model would begin to think anew after each tool.
  const encrypted = format === 'responses' &&
    isReasoningModel(model) && { include: ['reasoning.encrypted_content'] };
  return { format: textFormat(format), model, body: { ...encrypted, ...body } };
}
