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
 * Encodes a conversation as a streamed request of a format.
 *
 * @param parameters fields of the format's own request; those of the conversation override them
 */
export function textRequest(
  format: TextFormat,
  model: string,
  messages: readonly Message[],
  parameters: Readonly<Record<string, unknown>>,
): TextRequest {
  const { body, omitted } = format.encode(messages);
  return {
    format,
    model,
    body: { ...format.defaults, ...parameters, ...(!format.isModelInPath && { model }), ...body },
    omitted,
  };
}
