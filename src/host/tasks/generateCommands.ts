import * as vscode from 'vscode';
import { videoRoutes } from '../../wire/apis/videoRoutes.ts';
import { pick } from '../kit/display/prompts.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { modelOf } from '../models/modelCommands.ts';
import { pickModel } from '../models/modelPicker.ts';
import type { TaskServices } from './taskServices.ts';

/** Opens the Generate page with the model of `row`, else with the model used last. */
async function generate({ generatePages, connection }: TaskServices, row?: unknown): Promise<void> {
  const page = await generatePages.open({});
  const model = modelOf(row);
  if (model) page.session.chooseModel(model.id);
  page.focusPrompt();
  const { gateway, phase } = connection.state;
  if (gateway && phase === 'unasked') await connection.refresh();
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

/** The commands of the Generate page by their ids. */
export const generateCommands = {
  generate,
  'generate.chooseModel': chooseModel,
  'generate.chooseRoute': chooseRoute,
} satisfies CommandTable<TaskServices>;
