import * as vscode from 'vscode';
import { maxCompared } from '../../../conversations/conversation/comparison.ts';
import { replyText } from '../../../conversations/conversation/reply.ts';
import type { Turn } from '../../../conversations/conversation/turn.ts';
import type { Model } from '../../../wire/apis/models/modelList.ts';
import type { GatewayConnection } from '../../connection/gatewayConnection.ts';
import { showDifferences } from '../../kit/display/editors.ts';
import { clip, removeHidden } from '../../kit/display/plainText.ts';
import { pick, pickSeveral } from '../../kit/display/quickInput.ts';
import { showStatusMessage } from '../../kit/display/statusBar.ts';
import type { TextDocuments } from '../../kit/display/textDocuments.ts';
import type { CommandTable } from '../../kit/manifest/command.ts';
import { ensureGateway } from '../../models/modelPicker.ts';
import type { ChatServices } from '../chatServices.ts';
import type { ChatSession } from '../session/chatSession.ts';
import type { ChatPanel } from '../tab/chatPanel.ts';
import { moveChat } from './moveChat.ts';
import { resolveActiveChat } from './resolveChats.ts';

const maxNameLength = 60;

/**
 * Lets the user choose the models of the next question. If replies are already compared, sends their question to
 * further models instead.
 */
async function chooseComparedModels(services: ChatServices): Promise<void> {
  const chat = await resolveActiveChat(services);
  if (chat === undefined) return;
  const { conversation, target } = chat.session;
  const last = conversation.lastTurn?.id;
  if (conversation.comparison.isShown && last !== undefined) return sendToMoreModels(services, chat, last);
  const connection = await resolveConnection(services, chat.session);
  if (!connection) return;
  const models = await loadChatModels(services, connection);
  if (models.length < 2) {
    return showStatusMessage(
      vscode.l10n.t('{0} does not have two chat models to compare.', connection.gateway.name),
    );
  }
  const earlierIds =
    target.compared.length > 0 ? target.compared : services.modelChoices.memory.compared(connection.gateway);
  const availableIds = earlierIds.filter((id) => models.some((model) => model.id === id));
  const title = vscode.l10n.t('Choose 2 to {0} models to compare', maxCompared);
  const chosen = await pickModels(title, moveToStart(models, availableIds), {
    min: 2,
    max: maxCompared,
    chosen: availableIds.length > 0 ? availableIds : target.model === undefined ? [] : [target.model],
  });
  if (!chosen) return;
  await services.modelChoices.memory.noteCompared(connection.gateway, chosen);
  target.compare(chosen);
  chat.perform('focus-composer');
}

/** Sends the question of a turn, by default of the last turn, to further models. */
async function compareTurn(services: ChatServices, turnId?: unknown): Promise<void> {
  const chat = await resolveActiveChat(services);
  const id = typeof turnId === 'string' ? turnId : chat?.session.conversation.lastTurn?.id;
  if (!chat) return;
  if (id === undefined) return showStatusMessage(vscode.l10n.t('There is no reply to compare yet.'));
  await sendToMoreModels(services, chat, id);
}

async function sendToMoreModels(
  services: ChatServices,
  { session }: ChatPanel,
  turnId: string,
): Promise<void> {
  const { conversation } = session;
  const { comparison } = conversation;
  if (session.isStreaming)
    return showStatusMessage(vscode.l10n.t('A reply is still being received. Stop it first.'));
  const turnModel = conversation.turn(turnId)?.question.model;
  const comparedModels = comparison.isShown ? comparison.models : turnModel === undefined ? [] : [turnModel];
  const max = maxCompared - comparedModels.length;
  if (max < 1) {
    return showStatusMessage(
      vscode.l10n.t('{0} replies are already being compared. Close one first.', maxCompared),
    );
  }
  const connection = await resolveConnection(services, session);
  if (!connection) return;
  const models = (await loadChatModels(services, connection)).filter(
    ({ id }) => !comparedModels.includes(id),
  );
  if (models.length === 0) {
    return showStatusMessage(vscode.l10n.t('{0} has no other chat models.', connection.gateway.name));
  }
  const title = vscode.l10n.t('Choose more models for the same question');
  const chosen = await pickModels(title, models, { min: 1, max });
  if (chosen) await session.comparisonActions.sendToMoreModels(turnId, chosen);
}

/** Opens the diff editor with the reply of a turn and another reply that is shown side by side with that reply. */
async function openDifferences(services: ChatServices, turnId?: unknown): Promise<void> {
  const session = services.chats.lastActive?.session;
  const columns = session?.conversation.comparison.columns ?? [];
  const lastTurns = columns.flatMap((turns) => turns.at(-1) ?? []);
  const chosen = lastTurns.find(({ id }) => id === turnId) ?? lastTurns[0];
  const others = lastTurns.filter((turn) => turn !== chosen);
  if (!chosen || others.length === 0) {
    return showStatusMessage(vscode.l10n.t('No replies are being compared in this chat.'));
  }
  const other = others.length === 1 ? others[0] : await pickOtherTurn(chosen, others);
  if (!other) return;
  const { documents } = services;
  const title = `${clip(chosen.question.model, maxNameLength)} ↔ ${clip(other.question.model, maxNameLength)}`;
  await showDifferences(addReplyDocument(documents, chosen), addReplyDocument(documents, other), title);
}

async function pickOtherTurn({ question }: Turn, others: readonly Turn[]): Promise<Turn | undefined> {
  const items = others.map((turn) => ({ label: turn.question.model, turn }));
  const title = vscode.l10n.t('Choose the reply to compare with the reply of {0}', question.model);
  return (await pick(items, { title }))?.turn;
}

function addReplyDocument(documents: TextDocuments, { question, replies: [reply] }: Turn): vscode.Uri {
  const text = reply ? removeHidden(replyText(reply)) : '';
  return documents.add(text, `${question.model.replaceAll('/', '-')}.md`);
}

/** @param chosen the ids of the models that are selected at first */
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
    placeHolder: vscode.l10n.t('Type to find a model; press Space to select it'),
    choices: models.map(({ id, owner }) => ({ label: id, ...(owner && { description: owner }) })),
    isChosen: ({ label }) => chosen.includes(label),
    problem: (count) => describeCountProblem(min, max, count),
  });
  return picked?.map(({ label }) => label);
}

function describeCountProblem(min: number, max: number, count: number): string | undefined {
  if (count >= min && count <= max) return undefined;
  return max === 1
    ? vscode.l10n.t('Choose one model: only one more reply can be added.')
    : vscode.l10n.t('Choose {0} to {1} models; {2} are chosen.', min, max, count);
}

/** Returns the connection to a chat's gateway. If the chat is not connected, offers to choose a gateway. */
async function resolveConnection(
  services: ChatServices,
  session: ChatSession,
): Promise<GatewayConnection | undefined> {
  const { gateway } = session.target;
  if (gateway.boundGateway && !gateway.connection) {
    await moveChat(services);
    return undefined;
  }
  if (!gateway.connection && !(await ensureGateway(services))) return undefined;
  return gateway.connection;
}

async function loadChatModels(
  { modelChoices }: ChatServices,
  connection: GatewayConnection,
): Promise<readonly Model[]> {
  const { models } = connection.state.models.length > 0 ? connection.state : await connection.refresh();
  return modelChoices.filterByUse('chat', connection.gateway, models);
}

/** Moves the models with these ids to the start. */
function moveToStart(models: readonly Model[], ids: readonly string[]): readonly Model[] {
  const isFirst = ({ id }: Model) => ids.includes(id);
  return [...models.filter(isFirst), ...models.filter((model) => !isFirst(model))];
}

/** The commands for side-by-side replies by their ids. */
export const compareCommands = {
  'chat.compare': chooseComparedModels,
  'chat.compareReply': compareTurn,
  'chat.openDifferences': openDifferences,
  'chat.focusNextColumn': ({ chats }) => chats.lastActive?.perform('focus-next-column'),
  'chat.focusPreviousColumn': ({ chats }) => chats.lastActive?.perform('focus-previous-column'),
} satisfies CommandTable<ChatServices>;
