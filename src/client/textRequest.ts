import type { TextFormat } from '../wire/apis/textFormats.ts';
import type { Explanation } from '../wire/explanations/explanation.ts';
import type { Message } from '../wire/message.ts';

/** A request as it will be sent, without headers. The page shows exactly this request. */
export interface TextRequest {
  readonly format: TextFormat;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The parts of the conversation that the format does not support. */
  readonly omitted: readonly Explanation[];
}

/**
 * Encodes a conversation as a streamed request of a format. If it ends with an assistant's message, the model
 * continues that message.
 *
 * @param parameters fields of the format's own request; the fields of the conversation override them
 */
export function textRequest(
  format: TextFormat,
  model: string,
  messages: readonly Message[],
  parameters: Readonly<Record<string, unknown>>,
): TextRequest {
  const encoded = format.encode(messages);
  const { omitted } = encoded;
  const isContinuation = messages.at(-1)?.role === 'assistant';
  const body = isContinuation && format.prefix ? format.prefix.mark(encoded.body) : encoded.body;
  return {
    format,
    model,
    body: { ...format.defaults(model), ...parameters, ...(!format.isModelInPath && { model }), ...body },
    omitted,
  };
}
