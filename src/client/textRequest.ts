import type { TextFormat } from '../wire/apis/textFormats.ts';
import type { Message } from '../wire/message.ts';

/** A request as it will be sent, before headers: the same for the eye and for the wire. */
export interface TextRequest {
  readonly format: TextFormat;
  readonly model: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the format could not carry of the conversation, in plain words. */
  readonly omitted: readonly string[];
}

/**
 * Puts a conversation into a format, streamed.
 *
 * @param parameters fields of the format's own request; those of the conversation itself win over them
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
