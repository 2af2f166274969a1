import { isDeepStrictEqual } from 'node:util';
import type * as vscode from 'vscode';

/** A row of a tree view with its item. */
export interface TreeRow<N> {
  /** The unique id of its item. */
  readonly id: string;
  /** The value that VS Code and the commands receive for the row. */
  readonly node: N;
  /** The data that the line of the row shows, without the time. A row with unchanged data is not drawn again. */
  readonly look: unknown;
  readonly item: () => vscode.TreeItem;
  readonly children?: readonly TreeRow<N>[];
}

/** A row without its id, and with the nodes of its children. */
type CachedRow<N> = Omit<TreeRow<N>, 'id' | 'children'> & { readonly children: readonly N[] };

/**
 * The rows that a tree view has reported to VS Code. While VS Code lists rows again, it does not know any of them: a
 * command from the menu of a row is then run without the row. Therefore known rows reuse their nodes, and only changed
 * rows are listed again.
 */
export class TreeRowCache<N extends object> {
  #byId = new Map<string, CachedRow<N>>();
  #byNode = new Map<N, CachedRow<N>>();
  #roots: readonly N[] = [];

  get roots(): readonly N[] {
    return this.#roots;
  }

  /** Finds the rows below a row; empty for an unknown row. */
  findChildren(node: N): readonly N[] {
    return this.#byNode.get(node)?.children ?? [];
  }

  findParent(node: N): N | undefined {
    return this.#roots.find((root) => this.findChildren(root).includes(node));
  }

  /** Creates the item of a row; undefined for an unknown row. */
  createItem(node: N): vscode.TreeItem | undefined {
    return this.#byNode.get(node)?.item();
  }

  /**
   * Replaces the rows. A row with a known id reuses its node, which receives the content of the new node.
   *
   * @returns the nodes whose lines or children changed; undefined if the list of roots changed
   */
  update(rows: readonly TreeRow<N>[]): readonly N[] | undefined {
    const before = this.#roots;
    const rowUpdate = new RowUpdate(this.#byId);
    this.#roots = rows.map((row) => rowUpdate.add(row));
    this.#byId = rowUpdate.byId;
    this.#byNode = rowUpdate.byNode;
    return isSameList(before, this.#roots) ? rowUpdate.changed : undefined;
  }
}

/** An update of rows at all levels. */
class RowUpdate<N extends object> {
  readonly byId = new Map<string, CachedRow<N>>();
  readonly byNode = new Map<N, CachedRow<N>>();
  readonly changed: N[] = [];
  readonly #before: ReadonlyMap<string, CachedRow<N>>;

  constructor(before: ReadonlyMap<string, CachedRow<N>>) {
    this.#before = before;
  }

  /** Adds a row and the rows below it, and returns its node. */
  add({ id, node: newNode, look, item, children: rows = [] }: TreeRow<N>): N {
    const cached = this.#before.get(id);
    const node = cached ? Object.assign(cached.node, newNode) : newNode;
    const row = { node, look, item, children: rows.map((child) => this.add(child)) };
    if (cached && !(isSameList(cached.children, row.children) && isDeepStrictEqual(cached.look, look))) {
      this.changed.push(node);
    }
    this.byId.set(id, row);
    this.byNode.set(node, row);
    return node;
  }
}

function isSameList<N>(one: readonly N[], other: readonly N[]): boolean {
  return one.length === other.length && one.every((node, index) => node === other[index]);
}

/** The number of rows in a block. When a row is added, VS Code lists all rows below its parent again. */
const rowsPerBlock = 100;

/** A block of consecutive rows. */
export interface RowBlock<Row> {
  /** The number of the first row, from 1. */
  readonly first: number;
  readonly rows: readonly Row[];
}

/**
 * Splits a long list into blocks, so that a new row at its end changes only the last block; undefined for a short
 * list.
 */
export function splitIntoBlocks<Row>(rows: readonly Row[]): readonly RowBlock<Row>[] | undefined {
  if (rows.length <= rowsPerBlock) return undefined;
  return Array.from({ length: Math.ceil(rows.length / rowsPerBlock) }, (_, index) => ({
    first: index * rowsPerBlock + 1,
    rows: rows.slice(index * rowsPerBlock, (index + 1) * rowsPerBlock),
  }));
}
