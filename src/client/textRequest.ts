import type { TextFormat } from '../wire/apis/textFormats.ts';
import type { Explanation } from '../wire/explanations/explanation.ts';
import type { Message } from '../wire/message.ts';

/** A request as it will be sent, before headers. The page shows exactly this. */
export interface TextRequest {
  readonly format: TextFormat;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the format cannot carry of the conversation. */
  readonly omitted: readonly Explanation[];
}

/**
 * Encodes a conversation as a streamed request of a format. Where it ends with an assistant's message, the model goes
 * on with that.
 *
 * @param parameters fields of the format's own request; those of the conversation override them
 */
export function textRequest(
  format: TextFormat,
  model: string,
  messages: readonly Message[],
  parameters: Readonly<Record<string, unknown>>,
): TextRequest {
  const encoded = format.encode(messages);
  const { omitted } = encoded;
  const goesOn = messages.at(-1)?.role === 'assistant';
  const body = goesOn && format.prefix ? format.prefix.mark(encoded.body) : encoded.body;
  return {
    format,
    model,
    body: { ...format.defaults(model), ...parameters, ...(!format.isModelInPath && { model }), ...body },
    omitted,
  };
}
