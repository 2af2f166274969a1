import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';

/**
 * Loads a part of the extension that is not needed at the start. Like any module, it cannot be loaded again in this
 * window after a failure.
 *
 * @throws an error with the cause and advice
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    const words = vscode.l10n.t(
      'A part of Model Gateway could not be loaded: {0}. Run “Developer: Reload Window” to reload the window.',
      errorMessage(cause),
    );
    throw new Error(words, { cause });
  }
}
