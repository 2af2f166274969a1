import * as vscode from 'vscode';
import { maxCompared } from '../../../conversations/conversation/comparison.ts';
import { textOf } from '../../../conversations/conversation/reply.ts';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { visibleText } from '../../kit/display/plainText.ts';
import { pick } from '../../kit/display/prompts.ts';
import { pickSeveral } from '../../kit/display/severalPrompt.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { connected } from '../../models/noGateway.ts';
import type { ChatServices } from '../chatServices.ts';
import type { ChatSession } from '../chatSession.ts';
import { activeChat } from '../tab/activeChat.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import { move } from './moveChat.ts';

/** Asks for the models that the next question is asked at once; beside answers that are compared, for further ones. */
async function compare(services: ChatServices): Promise<void> {
  const chat = await activeChat(services);
  if (chat === undefined) return;
  const { conversation, target } = chat.session;
  const last = conversation.last?.id;
  if (conversation.comparison.isShown && last !== undefined) return askBeside(services, chat, last);
  const gateway = await gatewayOf(services, chat.session);
  if (!gateway) return;
  const models = await chatModels(services, gateway);
  if (models.length < 2) {
    return showStatusMessage(
      vscode.l10n.t('{0} has no two models for chats to compare.', gateway.gateway.name),
    );
  }
  const before =
    target.compared.length > 0 ? target.compared : services.modelNotes.memory.compared(gateway.gateway);
  const known = before.filter((id) => models.some((model) => model.id === id));
  const title = vscode.l10n.t('Choose 2 to {0} models to compare', maxCompared);
  const chosen = await pickModels(title, sorted(models, known), {
    ...{ min: 2, max: maxCompared },
    chosen: known.length > 0 ? known : target.model === undefined ? [] : [target.model],
  });
  if (!chosen) return;
  await services.modelNotes.memory.noteCompared(gateway.gateway, chosen);
  target.compare(chosen);
  chat.perform('focus-composer');
}

/** Asks further models the question of an answer, by default of the last one. */
async function compareAnswer(services: ChatServices, turnId?: unknown): Promise<void> {
  const chat = await activeChat(services);
  const id = typeof turnId === 'string' ? turnId : chat?.session.conversation.last?.id;
  if (!chat) return;
  if (id === undefined) return showStatusMessage(vscode.l10n.t('There is no reply to compare yet.'));
  await askBeside(services, chat, id);
}

async function askBeside(services: ChatServices, { session }: ChatPanel, turnId: string): Promise<void> {
  const { conversation } = session;
  const { comparison } = conversation;
  if (session.isStreaming)
    return showStatusMessage(vscode.l10n.t('A reply is still arriving. Stop it first.'));
  const own = conversation.turn(turnId)?.question.model;
  const there = comparison.isShown ? comparison.models : own === undefined ? [] : [own];
  const max = maxCompared - there.length;
  if (max < 1) {
    return showStatusMessage(
      vscode.l10n.t('{0} replies are already compared. Close one first.', maxCompared),
    );
  }
  const gateway = await gatewayOf(services, session);
  if (!gateway) return;
  const models = (await chatModels(services, gateway)).filter(({ id }) => !there.includes(id));
  if (models.length === 0) {
    return showStatusMessage(vscode.l10n.t('{0} has no other model for chats.', gateway.gateway.name));
  }
  const title = vscode.l10n.t('Choose more models for the same question');
  const chosen = await pickModels(title, models, { min: 1, max });
  if (chosen) await session.comparing.askBeside(turnId, chosen);
}

/** Opens an answer in the diff editor beside another one that it is compared with. */
async function openDifferences(services: ChatServices, turnId?: unknown): Promise<void> {
  const session = services.chats.lastActive?.session;
  const columns = session?.conversation.comparison.columns ?? [];
  const answers = columns.flatMap((turns) => turns.at(-1) ?? []);
  const one = answers.find(({ id }) => id === turnId) ?? answers[0];
  const others = answers.filter((turn) => turn !== one);
  if (!one || others.length === 0) {
    return showStatusMessage(vscode.l10n.t('No replies are compared in this chat.'));
  }
  const other = others.length === 1 ? others[0] : await pickOther(one, others);
  if (other) await services.answerDocuments.openDifferences(documentOf(one), documentOf(other));
}

async function pickOther({ question }: Turn, others: readonly Turn[]): Promise<Turn | undefined> {
  const items = others.map((turn) => ({ label: turn.question.model, turn }));
  const title = vscode.l10n.t('Choose the reply to compare with the reply of {0}', question.model);
  return (await pick(items, { title }))?.turn;
}

function documentOf({ question, replies: [reply] }: Turn) {
  return { model: question.model, text: reply ? visibleText(textOf(reply)) : '' };
}

async function focusNextColumn(services: ChatServices): Promise<void> {
  services.chats.lastActive?.perform('focus-next-column');
}

async function focusPreviousColumn(services: ChatServices): Promise<void> {
  services.chats.lastActive?.perform('focus-previous-column');
}

/** @param chosen the ids of those that are chosen to begin with */
async function pickModels(
  title: string,
  models: readonly Model[],
  {
    min,
    max,
    chosen = [],
  }: { readonly min: number; readonly max: number; readonly chosen?: readonly string[] },
): Promise<readonly string[] | undefined> {
  const picked = await pickSeveral({
    title,
    placeHolder: vscode.l10n.t('Type to find a model; Space chooses it'),
    choices: models.map(({ id, owner }) => ({ label: id, ...(owner && { description: owner }) })),
    isChosen: ({ label }) => chosen.includes(label),
    problem: (count) => countProblem(min, max, count),
  });
  return picked?.map(({ label }) => label);
}

function countProblem(min: number, max: number, count: number): string | undefined {
  if (count >= min && count <= max) return undefined;
  return max === 1
    ? vscode.l10n.t('Choose one model: there is room for one more reply.')
    : vscode.l10n.t('Choose {0} to {1} models; {2} are chosen.', min, max, count);
}

/** The gateway that the chat asks; undefined where there is none, once the user was told. */
async function gatewayOf(
  services: ChatServices,
  session: ChatSession,
): Promise<GatewayConnection | undefined> {
  const { gateway } = session.target;
  if (gateway.begunWith && !gateway.now) {
    await move(services);
    return undefined;
  }
  if (!gateway.now && !(await connected(services))) return undefined;
  return gateway.now;
}

async function chatModels(
  { modelNotes }: ChatServices,
  connection: GatewayConnection,
): Promise<readonly Model[]> {
  const { models } = connection.state.models.length > 0 ? connection.state : await connection.refresh();
  return modelNotes.modelsFor('chat', connection.gateway, models);
}

/** Those that were chosen before come first. */
function sorted(models: readonly Model[], first: readonly string[]): readonly Model[] {
  const isFirst = ({ id }: Model) => first.includes(id);
  return [...models.filter(isFirst), ...models.filter((model) => !isFirst(model))];
}

/** The commands about answers side by side, by their ids. */
export const compareCommands = {
  'chat.compare': compare,
  'chat.compareAnswer': compareAnswer,
  'chat.openDifferences': openDifferences,
  'chat.focusNextColumn': focusNextColumn,
  'chat.focusPreviousColumn': focusPreviousColumn,
} satisfies CommandTable<ChatServices>;
