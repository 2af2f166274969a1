import { isDeepStrictEqual } from 'node:util';
import type * as vscode from 'vscode';

/** A row of a tree view, as it is to be shown. */
export interface TreeRow<N> {
  /** The id of its item, different from that of any other row. */
  readonly id: string;
  /** What VS Code and the commands know the row by. */
  readonly node: N;
  /** All that the row's own line is made of, without the time. Rows with equal looks are not drawn again. */
  readonly look: unknown;
  readonly item: () => vscode.TreeItem;
  readonly children?: readonly TreeRow<N>[];
}

interface KnownRow<N> {
  readonly node: N;
  readonly look: unknown;
  readonly item: () => vscode.TreeItem;
  readonly children: readonly N[];
}

/**
 * The rows that a tree view has told VS Code. While VS Code lists rows anew it knows none of them: the choice from
 * the menu of a row, which may have been open for long, comes without the row then. So the same row stays the same
 * node, and only what changed is listed anew.
 */
export class KnownRows<N extends object> {
  #byId = new Map<string, KnownRow<N>>();
  #byNode = new Map<N, KnownRow<N>>();
  #roots: readonly N[] = [];

  get roots(): readonly N[] {
    return this.#roots;
  }

  /** The rows below a row; none for one that is no longer known. */
  childrenOf(node: N): readonly N[] {
    return this.#byNode.get(node)?.children ?? [];
  }

  parentOf(node: N): N | undefined {
    return this.#roots.find((root) => this.childrenOf(root).includes(node));
  }

  /** What VS Code draws of a row; undefined for one that is no longer known. */
  itemOf(node: N): vscode.TreeItem | undefined {
    return this.#byNode.get(node)?.item();
  }

  /**
   * Takes rows over in place of those of before. A node that is known stays and gets the content of the new one.
   *
   * @returns the nodes whose lines or children changed; undefined when the list of roots did
   */
  update(rows: readonly TreeRow<N>[]): readonly N[] | undefined {
    const before = this.#roots;
    const taking = new Taking(this.#byId);
    this.#roots = rows.map((row) => taking.take(row));
    this.#byId = taking.byId;
    this.#byNode = taking.byNode;
    return isSameList(before, this.#roots) ? taking.changed : undefined;
  }
}

/** One take-over of rows, whatever their depth. */
class Taking<N extends object> {
  readonly byId = new Map<string, KnownRow<N>>();
  readonly byNode = new Map<N, KnownRow<N>>();
  readonly changed: N[] = [];
  readonly #before: ReadonlyMap<string, KnownRow<N>>;

  constructor(before: ReadonlyMap<string, KnownRow<N>>) {
    this.#before = before;
  }

  take({ id, node: told, look, item, children: rows = [] }: TreeRow<N>): N {
    const known = this.#before.get(id);
    const node = known ? Object.assign(known.node, told) : told;
    const row = { node, look, item, children: rows.map((child) => this.take(child)) };
    if (known && !(isSameList(known.children, row.children) && isDeepStrictEqual(known.look, look))) {
      this.changed.push(node);
    }
    this.byId.set(id, row);
    this.byNode.set(node, row);
    return node;
  }
}

function isSameList<N>(one: readonly N[], other: readonly N[]): boolean {
  return one.length === other.length && one.every((node, nth) => node === other[nth]);
}
