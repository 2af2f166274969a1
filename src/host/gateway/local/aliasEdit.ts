import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { isObject, scalarText } from '../../../base/json.ts';
import { plainValue, withoutChild } from './editedJson.ts';

/** An alias that loses models. */
export interface AliasLoss {
  readonly name: string;
  /** The models that it loses, each as `name/id`. */
  readonly models: readonly string[];
  /** Whether no model is left, so that the alias is removed as well. */
  readonly isRemoved: boolean;
}

/** The aliases of a configuration that use models of an upstream. */
export function aliasesUsing(text: string, upstream: string): readonly AliasLoss[] {
  return aliasesOf(text).flatMap(({ name, models }) => {
    const lost = models.filter((model) => isModelOf(model, upstream));
    return lost.length === 0 ? [] : [{ name, models: lost, isRemoved: lost.length === models.length }];
  });
}

/** Removes the models of an upstream from the aliases, with their weights, and aliases without other models. */
export function withoutModelsOf(text: string, upstream: string): string {
  let rest = text;
  // From the last one, because a removed alias changes the index of the aliases after it.
  for (let i = aliasesOf(text).length - 1; i >= 0; i -= 1) {
    const { models = [] } = aliasesOf(rest)[i] ?? {};
    const isRemoved = models.length > 0 && models.every((model) => isModelOf(model, upstream));
    rest = isRemoved
      ? removeChildren(rest, ['aliases'], (_, index) => index === i)
      : withoutModelsIn(rest, ['aliases', i], upstream);
  }
  return rest;
}

function withoutModelsIn(text: string, alias: Path, upstream: string): string {
  const isOfUpstream = (value: unknown) => typeof value === 'string' && isModelOf(value, upstream);
  const rest = removeChildren(text, [...alias, 'models'], (model) => isOfUpstream(plainValue(model)));
  return removeChildren(rest, [...alias, 'weights'], ({ children: [key] = [] }) => isOfUpstream(key?.value));
}

type Path = readonly (string | number)[];

/** Removes the entries or fields at a path, the last one first. */
function removeChildren(
  text: string,
  path: Path,
  shouldRemove: (child: Node, index: number) => boolean,
): string {
  const { children = [] } = nodeAt(text, path) ?? {};
  let rest = text;
  for (const [index, child] of [...children.entries()].reverse()) {
    const parent = shouldRemove(child, index) ? nodeAt(rest, path) : undefined;
    if (parent) rest = withoutChild(rest, parent, index);
  }
  return rest;
}

function nodeAt(text: string, path: Path): Node | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  return tree && findNodeAtLocation(tree, [...path]);
}

interface WrittenAlias {
  readonly name: string;
  readonly models: readonly string[];
}

/** The aliases in their order. An incomplete alias has no models. */
function aliasesOf(text: string): readonly WrittenAlias[] {
  const list = nodeAt(text, ['aliases']);
  if (list?.type !== 'array') return [];
  return (list.children ?? []).map((node) => {
    const value = plainValue(node);
    const { name, models } = isObject(value) ? value : {};
    return {
      name: scalarText(name),
      models: Array.isArray(models) ? models.filter((model) => typeof model === 'string') : [],
    };
  });
}

function isModelOf(model: string, upstream: string): boolean {
  return model.startsWith(`${upstream}/`);
}
