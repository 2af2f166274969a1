import type { MessageDraft } from './conversationDraft.ts';
import type { ConversationReading } from './conversationReading.ts';

/** A draft with an id of its own, and the one that it follows. */
export interface TreeNode {
  readonly id: string;
  readonly parent: string | undefined;
  readonly draft: MessageDraft;
}

/** Longer ids are no ids, but a way to fill a database. */
const maxIdLength = 256;

interface Named {
  readonly id: string;
  readonly draft: MessageDraft;
  parent: Named | undefined;
  /** In the order of the file, then in that which the file tells. */
  children: Named[];
}

/**
 * Puts messages into a tree, by whom they say they follow. Each comes after the one that it follows, siblings in
 * their order. Ids become unique, circles are cut, and who follows nobody who is there begins a branch.
 */
export function messageTree(
  drafts: readonly MessageDraft[],
  reading: ConversationReading,
): readonly TreeNode[] {
  const byId = new Map<string, Named>();
  const nodes = drafts.map((draft, nth) => {
    const node: Named = { id: freeId(draft, nth, byId, reading), draft, parent: undefined, children: [] };
    byId.set(node.id, node);
    return node;
  });
  for (const node of nodes) {
    const { parent } = node.draft;
    if (parent === undefined) continue;
    node.parent = byId.get(parent.toWellFormed());
    if (!node.parent) reading.note('import-parents-missing');
  }
  cutCircles(nodes, reading);
  for (const node of nodes) node.parent?.children.push(node);
  for (const node of nodes) orderChildren(node);
  return parentsFirst(nodes);
}

function freeId(
  { id }: MessageDraft,
  nth: number,
  taken: ReadonlyMap<string, unknown>,
  reading: ConversationReading,
): string {
  const wanted = id?.toWellFormed();
  if (wanted && wanted.length <= maxIdLength && !taken.has(wanted)) return wanted;
  if (wanted) reading.note('import-ids-repeated');
  const base = `message-${nth + 1}`;
  let free = base;
  for (let tries = 2; taken.has(free); tries += 1) free = `${base}-${tries}`;
  return free;
}

/** Who is met again on the way up from a message begins a branch instead. */
function cutCircles(nodes: readonly Named[], reading: ConversationReading): void {
  const metFrom = new Map<Named, Named>();
  for (const start of nodes) {
    for (let node: Named | undefined = start; node && !metFrom.has(node); node = node.parent) {
      metFrom.set(node, start);
      if (!node.parent || metFrom.get(node.parent) !== start) continue;
      node.parent.parent = undefined;
      reading.note('import-cycles-cut');
    }
  }
}

function orderChildren(node: Named): void {
  const { children = [] } = node.draft;
  if (node.children.length < 2 || children.length === 0) return;
  const rank = new Map(children.map((id, nth) => [id, nth]));
  const rankOf = ({ draft: { id } }: Named) => rank.get(id) ?? children.length;
  node.children.sort((one, other) => rankOf(one) - rankOf(other));
}

function parentsFirst(nodes: readonly Named[]): readonly TreeNode[] {
  const ordered: TreeNode[] = [];
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
