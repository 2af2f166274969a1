import * as vscode from 'vscode';
import { confirm } from '../kit/display/notify.ts';
import type { GeneratePanel } from './generate/generatePanel.ts';
import type { Recipe } from './generate/generateSession.ts';
import type { TaskServices } from './taskServices.ts';

/**
 * Opens the Generate page filled with an earlier request, and sends nothing. Asks first where that would replace
 * something unsent.
 *
 * @param name of the earlier request, for the question
 * @returns undefined when the form stays as it is
 */
export async function fillForm(
  { generatePages }: TaskServices,
  recipe: Recipe,
  name: string,
): Promise<GeneratePanel | undefined> {
  const page = await generatePages.open({});
  if (page.session.isUnsent && !(await mayReplace(name))) return undefined;
  page.session.repeat(recipe);
  page.focusPrompt();
  return page;
}

async function mayReplace(name: string): Promise<boolean> {
  const yes = vscode.l10n.t('Replace');
  const picked = await confirm(
    vscode.l10n.t('Replace what is in the Generate form?'),
    vscode.l10n.t('It was not sent, and is lost when the request of “{0}” replaces it.', name),
    yes,
  );
  return picked === yes;
}
