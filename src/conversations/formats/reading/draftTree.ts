import type { MessageDraft } from './conversationDraft.ts';
import type { ConversationReading } from './conversationReading.ts';

/** A message draft with a unique id, and the id of its parent. */
export interface DraftNode {
  readonly id: string;
  readonly parent: string | undefined;
  readonly draft: MessageDraft;
}

/** Longer ids are invalid, because they would fill the database. */
const maxIdLength = 256;

interface TreeNode {
  readonly id: string;
  readonly draft: MessageDraft;
  parent: TreeNode | undefined;
  /** First in the order of the messages in the file, at the end in the order of the parent's `children`. */
  children: TreeNode[];
}

/**
 * Builds a tree from the parents of messages. Parents come before children, siblings in their order. Ids are
 * made unique, cycles are cut, and a message with an unknown parent becomes a root.
 */
export function createDraftTree(
  drafts: readonly MessageDraft[],
  reading: ConversationReading,
): readonly DraftNode[] {
  const byId = new Map<string, TreeNode>();
  const nodes = drafts.map((draft, nth) => {
    const node: TreeNode = {
      id: chooseId(draft, nth, byId, reading),
      draft,
      parent: undefined,
      children: [],
    };
    byId.set(node.id, node);
    return node;
  });
  for (const node of nodes) {
    const { parent } = node.draft;
    if (parent === undefined) continue;
    node.parent = byId.get(parent.toWellFormed());
    if (!node.parent) reading.countFlaw('import-parents-missing');
  }
  cutCycles(nodes, reading);
  for (const node of nodes) node.parent?.children.push(node);
  for (const node of nodes) orderChildren(node);
  return listParentsFirst(nodes);
}

function chooseId(
  { id }: MessageDraft,
  nth: number,
  usedIds: ReadonlyMap<string, unknown>,
  reading: ConversationReading,
): string {
  const ownId = id?.toWellFormed();
  if (ownId && ownId.length <= maxIdLength && !usedIds.has(ownId)) return ownId;
  if (ownId) reading.countFlaw('import-ids-repeated');
  const base = `message-${nth + 1}`;
  let unique = base;
  for (let tries = 2; usedIds.has(unique); tries += 1) unique = `${base}-${tries}`;
  return unique;
}

/** Cuts cycles: a message that is its own ancestor becomes a root. */
function cutCycles(nodes: readonly TreeNode[], reading: ConversationReading): void {
  const visitedFrom = new Map<TreeNode, TreeNode>();
  for (const start of nodes) {
    for (let node: TreeNode | undefined = start; node && !visitedFrom.has(node); node = node.parent) {
      visitedFrom.set(node, start);
      if (!node.parent || visitedFrom.get(node.parent) !== start) continue;
      node.parent.parent = undefined;
      reading.countFlaw('import-cycles-cut');
    }
  }
}

function orderChildren(node: TreeNode): void {
  const { children = [] } = node.draft;
  if (node.children.length < 2 || children.length === 0) return;
  const ranks = new Map(children.map((id, nth) => [id, nth]));
  const getRank = ({ draft: { id } }: TreeNode) => ranks.get(id) ?? children.length;
  node.children.sort((one, other) => getRank(one) - getRank(other));
}

function listParentsFirst(nodes: readonly TreeNode[]): readonly DraftNode[] {
  const ordered: DraftNode[] = [];
  const waiting = nodes.filter(({ parent }) => !parent).reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    ordered.push({ id: node.id, parent: node.parent?.id, draft: node.draft });
    for (let nth = node.children.length - 1; nth >= 0; nth -= 1) {
      const child = node.children[nth];
      if (child) waiting.push(child);
    }
  }
  return ordered;
}
