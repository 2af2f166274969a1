import type { ChildPart, noChange } from 'lit';
import { directive, type PartInfo } from 'lit/directive.js';
import { getCommittedValue, getDirectiveClass } from 'lit/directive-helpers.js';
import {
  type ItemTemplate,
  type KeyFn,
  repeat as litRepeat,
  type RepeatDirective,
  type RepeatDirectiveFn,
} from 'lit/directives/repeat.js';

const LitRepeat = getDirectiveClass(litRepeat([], () => undefined)) as new (
  info: PartInfo,
) => RepeatDirective;

/**
 * Removes the comments that Lit 3.3.1 to 3.3.3 leaves behind removed items: https://github.com/lit/lit/issues/5298.
 */
class TidyRepeat extends LitRepeat {
  override update<Item>(
    list: ChildPart,
    parameters: [Iterable<Item>, KeyFn<Item> | ItemTemplate<Item>, ItemTemplate<Item>],
  ): unknown[] | typeof noChange {
    const result = super.update(list, parameters);
    const items = getCommittedValue(list);
    if (Array.isArray(items)) removeNodesBetween(items, list);
    return result;
  }
}

function removeNodesBetween(items: readonly ChildPart[], list: ChildPart): void {
  let node = list.startNode?.nextSibling;
  const removeUntil = (end: Node | null) => {
    while (node && node !== end) {
      const next = node.nextSibling;
      node.remove();
      node = next;
    }
  };
  for (const { startNode, endNode } of items) {
    removeUntil(startNode);
    node = endNode?.nextSibling;
  }
  removeUntil(list.endNode);
}

/** Lit's directive for lists. It moves the elements of items, and does not create them again. */
export const repeat = directive(TidyRepeat) as RepeatDirectiveFn;
