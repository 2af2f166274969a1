import { requiresJson } from '../../../conversations/conversation/chatParameters.ts';
import type { Conversation } from '../../../conversations/conversation/conversation.ts';
import { isMissingFileOmission } from '../../../conversations/conversation/history.ts';
import { isEmptyTurn, type Turn } from '../../../conversations/conversation/turn.ts';
import type * as page from '../../../protocol/chatTurn.ts';
import { describeExplanation } from '../../kit/explanationWords.ts';
import { createMissingView, createSentFileViews } from '../context/contextView.ts';
import { createReplyFigures } from './replyFigures.ts';
import { createReplyNotice } from './replyNotice.ts';
import { createImageView, createReplyView } from './replyView.ts';

/** Lists the turns of the shown path, without the side-by-side columns after it. */
export function listPathTurns({
  turns,
  comparison: { isShown, trunkLength },
}: Conversation): readonly Turn[] {
  return isShown ? turns.slice(0, trunkLength) : turns;
}

/** Converts the turns of the shown path into views for the page, by default all turns. */
export function createTurnViews(
  conversation: Conversation,
  start = 0,
  end?: number,
): readonly page.TurnView[] {
  const { turns } = conversation;
  return listPathTurns(conversation)
    .slice(start, end)
    .map((turn, index) => createTurnView(conversation, turn, turns[start + index - 1]));
}

/** Converts a turn of the shown path or of a column into a view for the page; undefined if the turn is not shown. */
export function findTurnView(conversation: Conversation, id: string): page.TurnView | undefined {
  for (const turns of [conversation.turns, ...conversation.comparison.columns]) {
    const index = turns.findIndex((turn) => turn.id === id);
    const turn = turns[index];
    if (turn) return createTurnView(conversation, turn, turns[index - 1]);
  }
  return undefined;
}

/**
 * Converts the side-by-side columns of a conversation into a view for the page; undefined if no replies are compared.
 *
 * @param isShownByPage whether the page already shows the current version of a turn in a column
 */
export function createComparisonView(
  conversation: Conversation,
  isShownByPage = (_turn: Turn) => false,
): page.ComparisonView | undefined {
  const { columns, isShown, sharedQuestion } = conversation.comparison;
  if (!isShown) return undefined;
  return {
    sharesQuestion: sharedQuestion !== undefined,
    columns: columns.map((turns) =>
      turns.map((turn, index) =>
        isShownByPage(turn) ? turn.id : createTurnView(conversation, turn, turns[index - 1]),
      ),
    ),
  };
}

/** Finds the ids of the turns that are not sent with the next question. */
export function findExcludedTurnIds(conversation: Conversation): readonly string[] {
  const { comparison } = conversation;
  const columnTurns = comparison.isShown ? comparison.columns.flat() : [];
  const isExcluded = ({ id, result }: Turn) => result !== undefined && !conversation.isInLaterRequests(id);
  return [...conversation.omittedTurns, ...columnTurns.filter(isExcluded)].map(({ id }) => id);
}

/** @param before the turn before `turn`. Omitted parts of the same kind are not listed again. */
function createTurnView(conversation: Conversation, turn: Turn, before: Turn | undefined): page.TurnView {
  const notice = createReplyNotice(turn);
  const missing = turn.replies.flatMap((reply) => reply.missing ?? []);
  const questionBranch = createBranchView(conversation, turn.questionId);
  const replyBranch = createBranchView(conversation, turn.firstReplyId);
  const [unsupported, missingParts] = describeOmissions(turn);
  const [unsupportedBefore, missingPartsBefore] = before ? describeOmissions(before) : [];
  return {
    id: turn.id,
    question: turn.question.text,
    images: turn.question.images.map(createImageView),
    ...(turn.question.files?.length && { files: createSentFileViews(turn.question.files) }),
    ...(turn.question.missing && { missing: turn.question.missing.map(createMissingView) }),
    ...(missing.length > 0 && { missingOfReply: missing.map(createMissingView) }),
    model: turn.question.model,
    ...(requiresJson(turn.question) && { requestsJson: true }),
    state: readTurnState(turn),
    replies: turn.replies.map(createReplyView),
    figures: createReplyFigures(turn),
    omitted: hasSameItems(unsupported, unsupportedBefore) ? [] : unsupported,
    ...(missingParts.length > 0 && !hasSameItems(missingParts, missingPartsBefore) && { missingParts }),
    ...(turn.isEdited && { isEdited: true }),
    ...(notice && { notice }),
    ...(questionBranch && { questionBranch }),
    ...(replyBranch && { replyBranch }),
    ...(turn.result === undefined && { waitedMs: performance.now() - turn.lastActivityAt }),
  };
}

function createBranchView(conversation: Conversation, messageId: string): page.BranchView | undefined {
  const siblings = conversation.reply(messageId)
    ? conversation.comparison.listAlternatives(messageId)
    : conversation.tree.siblings(messageId);
  if (siblings.length < 2) return undefined;
  const index = siblings.indexOf(messageId);
  const [previous, next] = [siblings[index - 1], siblings[index + 1]];
  return {
    number: index + 1,
    count: siblings.length,
    ...(previous !== undefined && { previous }),
    ...(next !== undefined && { next }),
  };
}

/** Describes the parts that a request omitted: parts that the API format does not support, and missing parts. */
function describeOmissions({ omitted }: Turn): readonly [readonly string[], readonly string[]] {
  const unsupported = omitted.filter((each) => !isMissingFileOmission(each));
  return [
    unsupported.map(describeExplanation),
    omitted.filter(isMissingFileOmission).map(describeExplanation),
  ];
}

function hasSameItems(items: readonly string[], others: readonly string[] = []): boolean {
  return items.length === others.length && items.every((each, index) => each === others[index]);
}

function readTurnState(turn: Turn): page.TurnView['state'] {
  if (turn.result) return 'done';
  return isEmptyTurn(turn) ? 'waiting' : 'streaming';
}
