import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../base/json.ts';
import type { ChatParameters } from '../../conversation/chatParameters.ts';
import type {
  ConversationRecord,
  MessageRecord,
  OriginSource,
  PartRecord,
  RequestRecord,
} from '../../conversation/record.ts';
import type { ConversationDraft, DraftRequest } from './conversationDraft.ts';
import type { ConversationReading } from './conversationReading.ts';
import { messageTree, type TreeNode } from './messageTree.ts';
import type { PortableConversation } from './portableConversation.ts';

const maxIdLength = 256;

/** What is known of a conversation beside what is in it. */
export interface Assembly {
  readonly source: OriginSource;
  /** The SHA-256 of its text, which is its id where the file tells none. */
  readonly fingerprint: () => string;
  /** When it is imported, for what has no time. */
  readonly now: number;
}

/**
 * Makes records of what an importer read. The same conversation gets the same ids each time.
 *
 * @returns undefined when it has no messages
 */
export function assembled(
  draft: ConversationDraft,
  reading: ConversationReading,
  { source, fingerprint, now }: Assembly,
): PortableConversation | undefined {
  const shape = withoutPlaceholders(messageTree(draft.messages, reading));
  const { nodes, insteadOf } = draft.hasAnswersInSteps ? withWholeAnswers(shape) : shape;
  if (nodes.length === 0) return undefined;
  const begun = draft.createdAt ?? nodes.find((each) => each.draft.createdAt)?.draft.createdAt ?? now;
  const times = timesOf(nodes, begun);
  const head = headOf(nodes, inPlaceOf(insteadOf, draft.head?.toWellFormed()), times);
  const shown = shownChildren(nodes, head);
  const id = draft.id && draft.id.length <= maxIdLength ? draft.id.toWellFormed() : fingerprint();
  const changedAt = draft.changedAt ?? [...times.values()].reduce((one, other) => Math.max(one, other));
  const conversation: ConversationRecord = {
    id: stableId(source, id),
    title: draft.title ?? '',
    createdAt: begun,
    changedAt,
    head,
    ...(draft.model && { model: draft.model }),
    ...(draft.systemPrompt && { parameters: parametersWith(draft.systemPrompt) }),
    ...(draft.isPinned && { pinnedAt: changedAt }),
    ...(draft.isArchived && { archivedAt: changedAt }),
    origin: { source, id },
    ...(draft.extra && { extra: draft.extra }),
  };
  const messages = nodes.map((node) => messageRecord(node, times.get(node.id) ?? begun, shown.get(node.id)));
  return { conversation, messages, attachments: reading.attachments };
}

function parametersWith(systemPrompt: string) {
  return { systemPrompt, common: {}, others: {} } satisfies ChatParameters;
}

/** A UUID that follows from where a conversation comes from (version 8 of RFC 9562). */
function stableId(source: OriginSource, id: string): string {
  const hash = createHash('sha256').update(`${source}\n${id}`).digest('hex');
  return [hash.slice(0, 8), hash.slice(8, 12), `8${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`]
    .concat(hash.slice(20, 32))
    .join('-');
}

/** A message without a time has that of the one before it. */
function timesOf(nodes: readonly TreeNode[], begun: number): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const { id, parent, draft } of nodes) {
    times.set(id, draft.createdAt ?? (parent === undefined ? undefined : times.get(parent)) ?? begun);
  }
  return times;
}

/** The end of the path that was shown: the message that the file names, or else the newest leaf. */
function headOf(
  nodes: readonly TreeNode[],
  wanted: string | undefined,
  times: ReadonlyMap<string, number>,
): string {
  if (wanted !== undefined && times.has(wanted)) return wanted;
  const parents = new Set(nodes.map(({ parent }) => parent));
  const leaves = nodes.filter(({ id }) => !parents.has(id));
  const timeOf = ({ id }: TreeNode) => times.get(id) ?? 0;
  return leaves.reduce((newest, leaf) => (timeOf(leaf) >= timeOf(newest) ? leaf : newest)).id;
}

/** At each fork on the path that was shown: the message that it goes on with. */
function shownChildren(nodes: readonly TreeNode[], head: string): ReadonlyMap<string, string> {
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const childCounts = new Map<string, number>();
  for (const { parent } of nodes) if (parent) childCounts.set(parent, (childCounts.get(parent) ?? 0) + 1);
  const shown = new Map<string, string>();
  for (let id = head, up = parents.get(id); up !== undefined; id = up, up = parents.get(id)) {
    if ((childCounts.get(up) ?? 0) > 1) shown.set(up, id);
  }
  return shown;
}

function messageRecord(
  { id, parent, draft }: TreeNode,
  createdAt: number,
  lastChild: string | undefined,
): MessageRecord {
  return {
    id,
    ...(parent !== undefined && { parent }),
    role: draft.role,
    createdAt,
    state: draft.state ?? 'done',
    choices: [draft.role === 'assistant' ? separated(draft.parts) : draft.parts],
    ...(draft.request && { request: requestRecord(draft.request, id, createdAt) }),
    ...(lastChild !== undefined && { lastChild }),
    ...(draft.extra && { extra: draft.extra }),
  };
}

/** The texts of an answer are shown as one, in which those that stood apart begin a paragraph each. */
function separated(parts: readonly PartRecord[]): readonly PartRecord[] {
  const last = parts.findLastIndex(({ type }) => type === 'text');
  return parts.map((part, nth) =>
    part.type === 'text' && nth < last ? { ...part, text: `${part.text.trimEnd()}\n\n` } : part,
  );
}

function requestRecord(request: DraftRequest, id: string, createdAt: number): RequestRecord {
  return { ...request, id: request.id ?? id, askedAt: request.askedAt ?? createdAt };
}

/** Messages in a tree, of which others were left out or joined with one that is there. */
interface TreeShape {
  readonly nodes: readonly TreeNode[];
  /** By the id of a message that is not there: that of the one in its place, if any. */
  readonly insteadOf: ReadonlyMap<string, string | undefined>;
}

/** Leaves placeholders out. What followed one follows whom it followed. */
function withoutPlaceholders(nodes: readonly TreeNode[]): TreeShape {
  const insteadOf = new Map<string, string | undefined>();
  const left: TreeNode[] = [];
  for (const node of nodes) {
    const parent = inPlaceOf(insteadOf, node.parent);
    if (node.draft.isPlaceholder) insteadOf.set(node.id, parent);
    else left.push({ ...node, parent });
  }
  return { nodes: left, insteadOf };
}

interface Answer {
  readonly node: TreeNode;
  readonly parts: PartRecord[];
  readonly steps: TreeNode[];
}

/**
 * Makes one message of each answer that is a chain of several, of the model and of its tools, so far as it has no
 * forks. It keeps the id of the first.
 */
function withWholeAnswers({ nodes, insteadOf }: TreeShape): TreeShape {
  const joined = new Map(insteadOf);
  const answers = new Map<string, Answer>();
  const left: (TreeNode | Answer)[] = [];
  const childCounts = new Map<string, number>();
  for (const { parent } of nodes) if (parent) childCounts.set(parent, (childCounts.get(parent) ?? 0) + 1);
  for (const node of nodes) {
    const { id, parent, draft } = node;
    const before = parent !== undefined && childCounts.get(parent) === 1 ? answers.get(parent) : undefined;
    const isStep = draft.role === 'assistant' || draft.role === 'tool';
    if (before && isStep) {
      for (const part of draft.parts) before.parts.push(part);
      before.steps.push(node);
      answers.set(id, before);
      joined.set(id, before.node.id);
      continue;
    }
    const placed = { ...node, parent: inPlaceOf(joined, parent) };
    if (!isStep) {
      left.push(placed);
      continue;
    }
    const answer = { node: placed, parts: [...draft.parts], steps: [] };
    answers.set(id, answer);
    left.push(answer);
  }
  return { nodes: left.map((each) => ('steps' in each ? wholeAnswer(each) : each)), insteadOf: joined };
}

/** The id that stands where another stood: its own, unless it was left out or joined. */
function inPlaceOf(
  insteadOf: ReadonlyMap<string, string | undefined>,
  id: string | undefined,
): string | undefined {
  return id !== undefined && insteadOf.has(id) ? insteadOf.get(id) : id;
}

function wholeAnswer({ node, parts, steps }: Answer): TreeNode {
  if (steps.length === 0) return node;
  const all = [node, ...steps];
  const request = all.findLast(({ draft }) => draft.request)?.draft.request;
  const isStopped = steps.at(-1)?.draft.state === 'stopped';
  const draft = {
    ...node.draft,
    role: 'assistant' as const,
    parts,
    ...(isStopped && { state: 'stopped' as const }),
    ...(request && { request }),
    extra: { ...node.draft.extra, steps: steps.map(stepExtra) },
  };
  return { ...node, draft };
}

function stepExtra({ id, draft: { role, extra } }: TreeNode): JsonObject {
  return { id, role, ...extra };
}
