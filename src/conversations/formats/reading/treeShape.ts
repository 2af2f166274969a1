import type { JsonObject } from '../../../base/json.ts';
import type { PartRecord } from '../../record.ts';
import type { TreeNode } from './messageTree.ts';

/** Messages in a tree, of which others were left out or joined with one that is there. */
export interface TreeShape {
  readonly nodes: readonly TreeNode[];
  /** By the id of a message that is not there: that of the one in its place, if any. */
  readonly insteadOf: ReadonlyMap<string, string | undefined>;
}

/** Leaves placeholders out. What followed one follows whom it followed. */
export function withoutPlaceholders(nodes: readonly TreeNode[]): TreeShape {
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
export function withWholeAnswers({ nodes, insteadOf }: TreeShape): TreeShape {
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
export function inPlaceOf(
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
