import * as vscode from 'vscode';
import { type ModelVerification, verifyModels } from '../../client/verifyModels.ts';
import type { Model } from '../../wire/apis/models/modelList.ts';
import type { ModelUse } from '../../wire/apis/models/modelUse.ts';
import type { GatewayConnection } from '../connection/gatewayConnection.ts';
import { formatModelCount } from '../kit/countWords.ts';
import { confirm, notify } from '../kit/display/notify.ts';
import { withNotificationProgress } from '../kit/display/progress.ts';
import { pick } from '../kit/display/quickInput.ts';
import type { CommandTable } from '../kit/manifest/command.ts';
import { FormatChoice } from './formatChoice.ts';
import { modelArgument } from './modelCommands.ts';
import { ensureGateway, pickModel } from './modelPicker.ts';
import type { ModelServices } from './modelServices.ts';
import { readModelRules } from './modelSettings.ts';
import type { ModelsNode } from './modelsView.ts';

/** Verifies the model of a row, the models of a group, or the models that the user picks. */
async function verify(services: ModelServices, row?: unknown): Promise<void> {
  const models = rowModels(row);
  if (models.length > 0) await verifyAll(services, models);
  else if (await ensureGateway(services)) await verifyAll(services, (await pickModels(services)) ?? []);
}

/** Lets the user choose the models to verify. Each choice shows its number of requests. */
async function pickModels(services: ModelServices): Promise<readonly Model[] | undefined> {
  const { gateway, models: all } = services.connection.state;
  const { shown } = services.modelsView;
  const getUses = gateway && services.modelChoices.usesLookup(gateway);
  const modelsChoice = (label: string, models: readonly Model[]) => ({
    label,
    description: getUses && formatModelCount(splitVerifiable(models, getUses).verifiable.length),
    models,
  });
  const choices = [
    ...(shown.length < all.length ? [modelsChoice(vscode.l10n.t('Shown models'), shown)] : []),
    modelsChoice(vscode.l10n.t('All models'), all),
    { label: vscode.l10n.t('One model…'), models: undefined },
  ];
  const chosen = await pick(choices, { title: vscode.l10n.t('Choose the models to verify') });
  if (!chosen || chosen.models) return chosen?.models;
  const model = await pickModel(services);
  return model && [model];
}

/** Shows all models, or hides failed models. */
async function chooseFilter({ modelChoices: { verdicts } }: ModelServices): Promise<void> {
  const filterChoice = (label: string, hides: boolean) => ({
    label,
    hides,
    description: hides === verdicts.hidesFailing ? vscode.l10n.t('current') : '',
  });
  const choices = [
    filterChoice(vscode.l10n.t('All models'), false),
    filterChoice(vscode.l10n.t('Models that did not fail'), true),
  ];
  const chosen = await pick(choices, { title: vscode.l10n.t('Choose the models to show') });
  if (chosen) await verdicts.hideFailing(chosen.hides);
}

function rowModels(row: unknown): readonly Model[] {
  const node = row as Partial<ModelsNode> | undefined;
  if (node?.kind === 'group' && node.group) return node.group.models;
  const model = modelArgument(row);
  return model ? [model] : [];
}

/**
 * Verifies models after the user agreed, because a provider may charge for each request. If an error ends the
 * verification, the results so far are stored.
 */
async function verifyAll(services: ModelServices, models: readonly Model[]): Promise<void> {
  const connection = services.connection.current;
  if (!connection || models.length === 0) return;
  const { verifiable, skipped } = splitVerifiable(
    models,
    services.modelChoices.usesLookup(connection.gateway),
  );
  if (verifiable.length === 0) {
    return void notify(
      'info',
      vscode.l10n.t(
        'None of these models is for chats only. Other models are not tested, because creating a picture or a video costs more.',
      ),
    );
  }
  if (!(await confirmVerifying(connection, verifiable, skipped))) return;
  const verified: ModelVerification[] = [];
  try {
    await withNotificationProgress(
      vscode.l10n.t('Verifying {0}', formatModelCount(verifiable.length)),
      (signal, report) => verifyEach(services, connection, verifiable, { signal, report, verified }),
    );
  } finally {
    await services.modelChoices.verdicts.store(connection.gateway, verified);
  }
  await showResult(services, verified);
}

interface VerifyProgress {
  readonly signal: AbortSignal;
  readonly report: (part: number, words?: string) => void;
  readonly verified: ModelVerification[];
}

async function verifyEach(
  services: ModelServices,
  connection: GatewayConnection,
  models: readonly Model[],
  { signal, report, verified }: VerifyProgress,
): Promise<void> {
  const { gateway } = connection;
  const formats = new FormatChoice(services.memory, readModelRules);
  const targets = models.map(({ id }) => ({ model: id, format: formats.of(gateway, id) }));
  const onVerified = (verification: ModelVerification) => {
    verified.push(verification);
    report(verified.length / targets.length, verification.model);
  };
  await verifyModels(await connection.getClient(), targets, { signal, onVerified });
}

/** Separates chat models from models whose replies may be pictures or videos, because those cost more. */
function splitVerifiable(models: readonly Model[], getUses: (model: Model) => readonly ModelUse[]) {
  const isVerifiable = (model: Model) => {
    const uses = getUses(model);
    return uses.includes('chat') && !uses.includes('image') && !uses.includes('video');
  };
  const { verifiable = [], skipped = [] } = Object.groupBy(models, (model) =>
    isVerifiable(model) ? 'verifiable' : 'skipped',
  );
  return { verifiable, skipped };
}

async function confirmVerifying(
  { gateway }: GatewayConnection,
  [first, ...others]: readonly Model[],
  skipped: readonly Model[],
): Promise<boolean> {
  const { t } = vscode.l10n;
  const count = formatModelCount(others.length + 1);
  const verifyLabel = t('Verify');
  const detail = [
    t(
      'Each model receives “Hi” once and may write one token, or 16 in the responses format. The provider may charge for that. If a model does not support its API format, the other formats are tried as well.',
    ),
    ...(skipped.length > 0
      ? [
          t(
            'Not tested: {0} for pictures, videos and other uses. Verifying creates no pictures or videos.',
            formatModelCount(skipped.length),
          ),
        ]
      : []),
  ].join('\n\n');
  const question =
    others.length === 0 ? t('Verify {0}?', first?.id ?? '') : t('Verify {0} of {1}?', count, gateway.name);
  return (await confirm(question, detail, verifyLabel)) === verifyLabel;
}

async function showResult(services: ModelServices, verified: readonly ModelVerification[]): Promise<void> {
  const { t } = vscode.l10n;
  const failed = verified.filter(({ trial }) => trial.error);
  const replied = verified.length - failed.length;
  const words = t('{0} of {1} replied.', replied, formatModelCount(verified.length));
  const canHide = failed.length > 0 && !services.modelChoices.verdicts.hidesFailing;
  const hide = t('Hide Failed Models');
  const chosen = await notify(failed.length > 0 ? 'warning' : 'info', words, ...(canHide ? [hide] : []));
  if (chosen === hide) await services.modelChoices.verdicts.hideFailing(true);
}

/** The commands that verify models, by their ids. */
export const verifyCommands = {
  'models.verify': verify,
  'models.filter': chooseFilter,
} satisfies CommandTable<ModelServices>;
