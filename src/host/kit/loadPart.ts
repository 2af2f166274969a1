import * as vscode from 'vscode';
import { errorMessage } from '../../base/errors.ts';

/**
 * Loads a part of the extension that is not needed at the start. One that failed stays failed in this window, as all
 * modules do.
 *
 * @throws an error that says so, and what helps
 */
export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (cause) {
    const words = vscode.l10n.t(
      'A part of Model Gateway could not be loaded: {0}. Reload the window by “Developer: Reload Window”.',
      errorMessage(cause),
    );
    throw new Error(words, { cause });
  }
}
