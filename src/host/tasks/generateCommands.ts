import * as vscode from 'vscode';
import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import { confirm } from '../kit/display/notify.ts';
import { pick } from '../kit/display/quickInput.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { modelArgument } from '../models/modelCommands.ts';
import { pickModel } from '../models/modelPicker.ts';
import type { GeneratePanel } from './generate/generatePanel.ts';
import type { Recipe } from './generate/generateSession.ts';
import type { TaskServices } from './taskServices.ts';

/** Opens the Generate page with the model of `row`, or else with the last used model. */
async function generate({ generatePages, connection }: TaskServices, row?: unknown): Promise<void> {
  const page = await generatePages.open({});
  const model = modelArgument(row);
  if (model) page.session.chooseModel(model.id);
  page.focusPrompt();
  const { gateway, phase } = connection.state;
  if (gateway && phase === 'idle') await connection.refresh();
}

async function chooseModel(services: TaskServices): Promise<void> {
  const page = await services.generatePages.open({});
  const model = await pickModel(services, { use: 'video', current: page.session.model });
  if (model === undefined) return;
  page.session.chooseModel(model.id);
  page.focusPrompt();
}

async function chooseRoute(services: TaskServices): Promise<void> {
  const page = await services.generatePages.open({});
  const items = videoRoutes.map(({ id, label, route }) => ({
    id,
    label,
    description: id === page.session.route ? vscode.l10n.t('current') : '',
    detail: `${route.method} ${route.path}`,
  }));
  const chosen = await pick(items, { title: vscode.l10n.t('Choose a route') });
  if (chosen === undefined) return;
  page.session.chooseRoute(chosen.id);
  page.focusPrompt();
}

/**
 * Opens the Generate page filled with an earlier request, without sending it. The user has to confirm that it replaces
 * an unsent form.
 *
 * @param name the name of the earlier request, for the question
 * @returns undefined if the form does not change
 */
export async function fillForm(
  { generatePages }: TaskServices,
  recipe: Recipe,
  name: string,
): Promise<GeneratePanel | undefined> {
  const page = await generatePages.open({});
  if (page.session.isUnsent && !(await confirmReplacing(name))) return undefined;
  page.session.fillFrom(recipe);
  page.focusPrompt();
  return page;
}

async function confirmReplacing(name: string): Promise<boolean> {
  const yes = vscode.l10n.t('Replace');
  const answer = await confirm(
    vscode.l10n.t('Replace the content of the Generate form?'),
    vscode.l10n.t(
      'The contents of the form were not sent and will be lost when the request of “{0}” replaces them.',
      name,
    ),
    yes,
  );
  return answer === yes;
}

/** The commands of the Generate page by their ids. */
export const generateCommands = {
  generate,
  'generate.chooseModel': chooseModel,
  'generate.chooseRoute': chooseRoute,
} satisfies CommandTable<TaskServices>;
