import * as vscode from 'vscode';
import { type ModelVerification, verifyModels } from '../../../client/verifyModels.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { ModelUse } from '../../../wire/apis/models/modelUse.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { modelCount } from '../../kit/counts.ts';
import { confirm, notify } from '../../kit/display/notify.ts';
import { withNotificationProgress } from '../../kit/display/progress.ts';
import { pick } from '../../kit/display/prompts.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { FormatChoice } from '../formatChoice.ts';
import { modelOf } from '../modelCommands.ts';
import { pickModel } from '../modelPicker.ts';
import type { ModelServices } from '../modelServices.ts';
import { readModelRules } from '../modelSettings.ts';
import type { ModelsNode } from '../modelsView.ts';
import { connected } from '../noGateway.ts';

/** Verifies the model of a row, those of a group, or those that the user picks. */
async function verify(services: ModelServices, row?: unknown): Promise<void> {
  const given = modelsOf(row);
  if (given.length > 0) await verifyAll(services, given);
  else if (await connected(services)) await verifyAll(services, (await pickModels(services)) ?? []);
}

/** Asks which models to verify. Each choice shows how many are asked. */
async function pickModels(services: ModelServices): Promise<readonly Model[] | undefined> {
  const { gateway, models: all } = services.connection.state;
  const { shown } = services.modelsView;
  const usesOf = gateway && services.modelNotes.usesAt(gateway);
  const choice = (label: string, models: readonly Model[]) => ({
    label,
    description: usesOf && modelCount(sorted(models, usesOf).asked.length),
    models,
  });
  const choices = [
    ...(shown.length < all.length ? [choice(vscode.l10n.t('Shown models'), shown)] : []),
    choice(vscode.l10n.t('All models'), all),
    { label: vscode.l10n.t('One model…'), models: undefined },
  ];
  const chosen = await pick(choices, { title: vscode.l10n.t('Choose the models to verify') });
  if (!chosen || chosen.models) return chosen?.models;
  const model = await pickModel(services);
  return model && [model];
}

/** Shows all models, or hides those that failed. */
async function filter({ modelNotes: { verdicts } }: ModelServices): Promise<void> {
  const choice = (label: string, hides: boolean) => ({
    label,
    hides,
    description: hides === verdicts.hidesFailing ? vscode.l10n.t('current') : '',
  });
  const choices = [
    choice(vscode.l10n.t('All models'), false),
    choice(vscode.l10n.t('Models that did not fail'), true),
  ];
  const chosen = await pick(choices, { title: vscode.l10n.t('Choose the models to show') });
  if (chosen) await verdicts.hideFailing(chosen.hides);
}

function modelsOf(row: unknown): readonly Model[] {
  const node = row as Partial<ModelsNode> | undefined;
  if (node?.kind === 'group' && node.group) return node.group.models;
  const model = modelOf(row);
  return model ? [model] : [];
}

/** Asks first, since a provider may charge for each request. What was found stays, however the rest ends. */
async function verifyAll(services: ModelServices, models: readonly Model[]): Promise<void> {
  const connection = services.connection.current;
  if (!connection || models.length === 0) return;
  const { asked, left } = sorted(models, services.modelNotes.usesAt(connection.gateway));
  if (asked.length === 0) {
    return void notify(
      'info',
      vscode.l10n.t(
        'None of these models is for chats only. Other models are not tested: a picture or a video costs more than a word.',
      ),
    );
  }
  if (!(await isAgreed(connection, asked, left))) return;
  const verified: ModelVerification[] = [];
  try {
    await withNotificationProgress(vscode.l10n.t('Verifying {0}', modelCount(asked.length)), (signal, tell) =>
      run(services, connection, asked, { signal, tell, verified }),
    );
  } finally {
    await services.modelNotes.verdicts.keep(connection.gateway, verified);
  }
  await tellResult(services, verified);
}

interface Run {
  readonly signal: AbortSignal;
  readonly tell: (part: number, words?: string) => void;
  readonly verified: ModelVerification[];
}

async function run(
  services: ModelServices,
  connection: GatewayConnection,
  models: readonly Model[],
  { signal, tell, verified }: Run,
): Promise<void> {
  const { gateway } = connection;
  const formats = new FormatChoice(services.memory, readModelRules);
  const asked = models.map(({ id }) => ({ model: id, format: formats.of(gateway, id) }));
  const onVerified = (verification: ModelVerification) => {
    verified.push(verification);
    tell(verified.length / asked.length, verification.model);
  };
  await verifyModels(await connection.client(), asked, { signal, onVerified });
}

/** The models that one word can be asked of, and those whose reply would be a thing that is paid for. */
function sorted(models: readonly Model[], usesOf: (model: Model) => readonly ModelUse[]) {
  const isChats = (model: Model) => {
    const uses = usesOf(model);
    return uses.includes('chat') && !uses.includes('image') && !uses.includes('video');
  };
  const { asked = [], left = [] } = Object.groupBy(models, (model) => (isChats(model) ? 'asked' : 'left'));
  return { asked, left };
}

async function isAgreed(
  { gateway }: GatewayConnection,
  [first, ...others]: readonly Model[],
  left: readonly Model[],
): Promise<boolean> {
  const { t } = vscode.l10n;
  const count = modelCount(others.length + 1);
  const ask = t('Verify');
  const detail = [
    t(
      'Each model receives “Hi” once and may write one token, or 16 in the responses format. The provider may charge for that. If a model does not support its API format, the other formats are tried as well.',
    ),
    ...(left.length > 0
      ? [
          t(
            'Not tested: {0} for pictures, videos and other uses. Verifying creates no pictures or videos.',
            modelCount(left.length),
          ),
        ]
      : []),
  ].join('\n\n');
  const question =
    others.length === 0 ? t('Verify {0}?', first?.id ?? '') : t('Verify {0} of {1}?', count, gateway.name);
  return (await confirm(question, detail, ask)) === ask;
}

async function tellResult(services: ModelServices, verified: readonly ModelVerification[]): Promise<void> {
  const { t } = vscode.l10n;
  const failed = verified.filter(({ trial }) => trial.error);
  const answered = verified.length - failed.length;
  const words = t('{0} of {1} answered.', answered, modelCount(verified.length));
  const canHide = failed.length > 0 && !services.modelNotes.verdicts.hidesFailing;
  const hide = t('Hide Failed Models');
  const chosen = await notify(failed.length > 0 ? 'warning' : 'info', words, ...(canHide ? [hide] : []));
  if (chosen === hide) await services.modelNotes.verdicts.hideFailing(true);
}

/** The commands of verifying models by their ids. */
export const verifyCommands = {
  'models.verify': verify,
  'models.filter': filter,
} satisfies CommandTable<ModelServices>;
