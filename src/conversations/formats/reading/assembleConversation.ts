import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../base/json.ts';
import type { ChatParameters } from '../../conversation/chatParameters.ts';
import type {
  ChatRequestRecord,
  ConversationRecord,
  MessageRecord,
  OriginSource,
  PartRecord,
  PortableConversation,
} from '../../conversation/conversationRecord.ts';
import type { ConversationDraft, DraftRequest } from './conversationDraft.ts';
import type { ConversationReading } from './conversationReading.ts';
import { createDraftTree, type DraftNode } from './draftTree.ts';

const maxIdLength = 256;

interface AssemblyOptions {
  readonly source: OriginSource;
  /** Returns the SHA-256 of the conversation's text, which replaces its id if the file contains none. */
  readonly fingerprint: () => string;
  /** The time of the import, for messages without a time. */
  readonly now: number;
}

/**
 * Converts an importer's draft to records. The same conversation always gets the same ids.
 *
 * @returns undefined if the draft has no messages
 */
export function assembleConversation(
  draft: ConversationDraft,
  reading: ConversationReading,
  { source, fingerprint, now }: AssemblyOptions,
): PortableConversation | undefined {
  const shape = removePlaceholders(createDraftTree(draft.messages, reading));
  const { nodes, replacements } = draft.hasMultiStepReplies ? mergeReplySteps(shape) : shape;
  if (nodes.length === 0) return undefined;
  const createdAt = draft.createdAt ?? nodes.find((each) => each.draft.createdAt)?.draft.createdAt ?? now;
  const times = determineTimes(nodes, createdAt);
  const head = findHead(nodes, findReplacement(replacements, draft.head?.toWellFormed()), times);
  const shownChildren = findShownChildren(nodes, head);
  const id = draft.id && draft.id.length <= maxIdLength ? draft.id.toWellFormed() : fingerprint();
  const changedAt = draft.changedAt ?? [...times.values()].reduce((one, other) => Math.max(one, other));
  const conversation: ConversationRecord = {
    id: createStableId(source, id),
    title: draft.title ?? '',
    createdAt,
    changedAt,
    head,
    ...(draft.model && { model: draft.model }),
    ...(draft.systemPrompt && { parameters: createParameters(draft.systemPrompt) }),
    ...(draft.isPinned && { pinnedAt: changedAt }),
    ...(draft.isArchived && { archivedAt: changedAt }),
    origin: { source, id },
    ...(draft.extra && { extra: draft.extra }),
  };
  const messages = nodes.map((node) =>
    createMessageRecord(node, times.get(node.id) ?? createdAt, shownChildren.get(node.id)),
  );
  return { conversation, messages, attachments: reading.attachments };
}

function createParameters(systemPrompt: string) {
  return { systemPrompt, common: {}, others: {} } satisfies ChatParameters;
}

/** Derives a UUID from a conversation's source and id (version 8 of RFC 9562). */
function createStableId(source: OriginSource, id: string): string {
  const hash = createHash('sha256').update(`${source}\n${id}`).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`]
    .concat(hash.slice(20, 32))
    .join('-');
}

/** Determines the times of messages. A message without a time has the time of its parent. */
function determineTimes(nodes: readonly DraftNode[], createdAt: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { id, parent, draft } of nodes) {
    times.set(id, draft.createdAt ?? (parent === undefined ? undefined : times.get(parent)) ?? createdAt);
  }
  return times;
}

/** Finds the end of the path that was shown: the message named in the file, or else the newest leaf. */
function findHead(
  nodes: readonly DraftNode[],
  headInFile: string | undefined,
  times: ReadonlyMap<string, number>,
): string {
  if (headInFile !== undefined && times.has(headInFile)) return headInFile;
  const parents = new Set(nodes.map(({ parent }) => parent));
  const leaves = nodes.filter(({ id }) => !parents.has(id));
  const getTime = ({ id }: DraftNode) => times.get(id) ?? 0;
  return leaves.reduce((newest, leaf) => (getTime(leaf) >= getTime(newest) ? leaf : newest)).id;
}

/** Maps each fork on the shown path to its child on that path. */
function findShownChildren(nodes: readonly DraftNode[], head: string): ReadonlyMap<string, string> {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const shownChildren = new Map<string, string>();
  for (let id = head, parent = parents.get(id); parent !== undefined; id = parent, parent = parents.get(id)) {
    if ((children.get(parent)?.length ?? 0) > 1) shownChildren.set(parent, id);
  }
  return shownChildren;
}

function createMessageRecord(
  { id, parent, draft }: DraftNode,
  createdAt: number,
  lastChild: string | undefined,
): MessageRecord {
  return {
    id,
    ...(parent !== undefined && { parent }),
    role: draft.role,
    createdAt,
    state: draft.state ?? 'done',
    choices: [draft.role === 'assistant' ? separateTexts(draft.parts) : draft.parts],
    ...(draft.request && { request: createRequestRecord(draft.request, id, createdAt) }),
    ...(lastChild !== undefined && { lastChild }),
    ...(draft.extra && { extra: draft.extra }),
  };
}

/** Starts a new paragraph with each text of a reply, because all texts are shown as one text. */
function separateTexts(parts: readonly PartRecord[]): readonly PartRecord[] {
  const lastTextIndex = parts.findLastIndex(({ type }) => type === 'text');
  return parts.map((part, nth) =>
    part.type === 'text' && nth < lastTextIndex ? { ...part, text: `${part.text.trimEnd()}\n\n` } : part,
  );
}

function createRequestRecord(request: DraftRequest, id: string, createdAt: number): ChatRequestRecord {
  return { ...request, id: request.id ?? id, requestedAt: request.requestedAt ?? createdAt };
}

/** A message tree after some messages were removed or merged. */
interface TreeShape {
  readonly nodes: readonly DraftNode[];
  /** For the id of each removed message: the id of its replacement, if any. */
  readonly replacements: ReadonlyMap<string, string | undefined>;
}

/** Removes placeholders. Their children move to their parent. */
function removePlaceholders(nodes: readonly DraftNode[]): TreeShape {
  const replacements = new Map<string, string | undefined>();
  const remaining: DraftNode[] = [];
  for (const node of nodes) {
    const parent = findReplacement(replacements, node.parent);
    if (node.draft.isPlaceholder) replacements.set(node.id, parent);
    else remaining.push({ ...node, parent });
  }
  return { nodes: remaining, replacements };
}

/** A reply whose messages are being merged. */
interface ReplySteps {
  /** The first message. */
  readonly node: DraftNode;
  /** The parts of all messages so far. */
  readonly parts: PartRecord[];
  /** The further messages. */
  readonly steps: DraftNode[];
}

/**
 * Merges each reply that is a chain of model and tool messages into one message, as far as it has no forks.
 * The merged message has the id of its first message.
 */
function mergeReplySteps({ nodes, replacements }: TreeShape): TreeShape {
  const allReplacements = new Map(replacements);
  const replies = new Map<string, ReplySteps>();
  const remaining: (DraftNode | ReplySteps)[] = [];
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  for (const node of nodes) {
    const { id, parent, draft } = node;
    const previousReply =
      parent !== undefined && children.get(parent)?.length === 1 ? replies.get(parent) : undefined;
    const isStep = draft.role === 'assistant' || draft.role === 'tool';
    if (previousReply && isStep) {
      for (const part of draft.parts) previousReply.parts.push(part);
      previousReply.steps.push(node);
      replies.set(id, previousReply);
      allReplacements.set(id, previousReply.node.id);
      continue;
    }
    const movedNode = { ...node, parent: findReplacement(allReplacements, parent) };
    if (!isStep) {
      remaining.push(movedNode);
      continue;
    }
    const reply = { node: movedNode, parts: [...draft.parts], steps: [] };
    replies.set(id, reply);
    remaining.push(reply);
  }
  return {
    nodes: remaining.map((each) => ('steps' in each ? mergeSteps(each) : each)),
    replacements: allReplacements,
  };
}

/** Returns the id of a message's replacement, or its own id if it was not removed. */
function findReplacement(
  replacements: ReadonlyMap<string, string | undefined>,
  id: string | undefined,
): string | undefined {
  return id !== undefined && replacements.has(id) ? replacements.get(id) : id;
}

function mergeSteps({ node, parts, steps }: ReplySteps): DraftNode {
  if (steps.length === 0) return node;
  const replyNodes = [node, ...steps];
  const request = replyNodes.findLast(({ draft }) => draft.request)?.draft.request;
  const isStopped = steps.at(-1)?.draft.state === 'stopped';
  const draft = {
    ...node.draft,
    role: 'assistant' as const,
    parts,
    ...(isStopped && { state: 'stopped' as const }),
    ...(request && { request }),
    extra: { ...node.draft.extra, steps: steps.map(createStepExtra) },
  };
  return { ...node, draft };
}

function createStepExtra({ id, draft: { role, extra } }: DraftNode): JsonObject {
  return { id, role, ...extra };
}
