import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { isObject } from '../../../base/json.ts';
import { plainValue, withoutChild } from './editedJson.ts';

/** An alias that loses models. */
export interface AliasLoss {
  readonly name: string;
  /** The models that it loses, each as `name/id`. */
  readonly models: readonly string[];
  /** Whether no other is left, so that the alias goes as well. */
  readonly isGone: boolean;
}

/** The aliases of a configuration that ask models of an upstream. */
export function aliasesAsking(text: string, upstream: string): readonly AliasLoss[] {
  return aliasesOf(text).flatMap(({ name, models }) => {
    const lost = models.filter((model) => isOf(model, upstream));
    return lost.length === 0 ? [] : [{ name, models: lost, isGone: lost.length === models.length }];
  });
}

/** Takes the models of an upstream out of the aliases, with their weights, and the aliases that name no other. */
export function withoutModelsOf(text: string, upstream: string): string {
  const last = aliasesOf(text).length - 1;
  let rest = text;
  for (let i = last; i >= 0; i -= 1) {
    const { models = [] } = aliasesOf(rest)[i] ?? {};
    const isGone = models.length > 0 && models.every((model) => isOf(model, upstream));
    rest = isGone
      ? withoutWhere(rest, ['aliases'], (_, at) => at === i)
      : withoutModelsIn(rest, ['aliases', i], upstream);
  }
  return rest;
}

function withoutModelsIn(text: string, alias: Path, upstream: string): string {
  const isAsked = (value: unknown) => typeof value === 'string' && isOf(value, upstream);
  const rest = withoutWhere(text, [...alias, 'models'], (model) => isAsked(plainValue(model)));
  return withoutWhere(rest, [...alias, 'weights'], ({ children: [key] = [] }) => isAsked(key?.value));
}

type Path = readonly (string | number)[];

/** Takes out the entries or fields of what stands at a path, the last one first. */
function withoutWhere(text: string, path: Path, goes: (child: Node, at: number) => boolean): string {
  const { children = [] } = nodeAt(text, path) ?? {};
  let rest = text;
  for (const [at, child] of [...children.entries()].reverse()) {
    const parent = goes(child, at) ? nodeAt(rest, path) : undefined;
    if (parent) rest = withoutChild(rest, parent, at);
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

/** The aliases in their order. What is half written names no model. */
function aliasesOf(text: string): readonly WrittenAlias[] {
  const list = nodeAt(text, ['aliases']);
  if (list?.type !== 'array') return [];
  return (list.children ?? []).map((node) => {
    const value = plainValue(node);
    const { name, models } = isObject(value) ? value : {};
    return {
      name: String(name ?? ''),
      models: Array.isArray(models) ? models.filter((model) => typeof model === 'string') : [],
    };
  });
}

function isOf(model: string, upstream: string): boolean {
  return model.startsWith(`${upstream}/`);
}
