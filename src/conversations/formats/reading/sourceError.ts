import { errorMessage } from '../../../base/errors.ts';
import { type Explanation, explain } from '../../../wire/explanations/explanation.ts';

/** An error that ends an import in the middle: the file cannot be read further. */
export class SourceError extends Error {
  readonly explanation: Explanation;

  constructor(explanation: Explanation, options?: ErrorOptions) {
    super(explanation.id, options);
    this.explanation = explanation;
  }
}

/**
 * Reads the bytes of a source until the signal is aborted. Errors of the source become a `SourceError`.
 *
 * @throws the reason of the signal when it is aborted
 */
export async function* guardBytes(
  bytes: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  signal?.throwIfAborted();
  try {
    for await (const chunk of bytes) {
      signal?.throwIfAborted();
      yield chunk;
    }
  } catch (thrown) {
    signal?.throwIfAborted();
    if (thrown instanceof SourceError) throw thrown;
    throw new SourceError(explain('import-unreadable', { cause: errorMessage(thrown) }), { cause: thrown });
  }
}
