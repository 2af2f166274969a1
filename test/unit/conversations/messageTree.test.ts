import assert from 'node:assert/strict';
import fc from 'fast-check';
import { MessageTree } from '../../../src/conversations/conversation/messageTree.ts';

/** A user action on a tree of messages; numbers select among the existing messages. */
type Step =
  | { readonly do: 'add'; readonly after: number | null }
  | { readonly do: 'show' | 'remove'; readonly which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('add'), after: fc.option(fc.nat(30)) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('show'), which: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove'), which: fc.nat(30) }) },
);

/** The same tree in the simplest form: every message with its parent, in the order of addition. */
class Model {
  readonly parents = new Map<string, string | undefined>();

  listChildren(parent: string | undefined): readonly string[] {
    return [...this.parents].filter(([, each]) => each === parent).map(([id]) => id);
  }

  pathTo(id: string | undefined): readonly string[] {
    return id === undefined ? [] : [...this.pathTo(this.parents.get(id)), id];
  }

  below(id: string): readonly string[] {
    return [id, ...this.listChildren(id).flatMap((child) => this.below(child))];
  }

  pick(at: number | null): string | undefined {
    const ids = [...this.parents.keys()];
    return at === null || ids.length === 0 ? undefined : ids[at % ids.length];
  }
}

describe('a tree of messages', () => {
  it('lists 300,000 replies to one question', () => {
    const tree = new MessageTree();
    tree.add('question', undefined);
    for (let nth = 0; nth < 300_000; nth++) tree.add(`reply ${nth}`, 'question');
    assert.equal(tree.subtree('question').length, 300_001);
  });

  it('has siblings in order and a complete path after any additions, selections and removals', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const tree = new MessageTree();
        const model = new Model();
        for (const [at, each] of steps.entries()) {
          play(tree, model, each, `m${at}`);
          check(tree, model);
        }
      }),
    );
  });

  it('shows a branch again as it was left', () => {
    const tree = new MessageTree();
    tree.add('question', undefined);
    tree.add('first', 'question');
    tree.add('deep', 'first');
    tree.add('deeper', 'deep');
    tree.add('second', 'question');
    assert.equal(tree.show('first'), true);
    assert.equal(tree.head, 'deeper');
    assert.equal(tree.show('first'), false);
    assert.equal(tree.show('second'), true);
    assert.deepEqual(tree.path, ['question', 'second']);
  });

  it('does not change the path when a message is added without being shown', () => {
    const tree = new MessageTree();
    tree.add('question', undefined);
    tree.add('answer', 'question');
    tree.addWithoutShowing('other', 'question');
    assert.deepEqual(tree.path, ['question', 'answer']);
    assert.deepEqual(tree.siblings('other'), ['answer', 'other']);
  });

  it('shows a sibling of a removed message, or ends before it', () => {
    const tree = new MessageTree();
    tree.add('question', undefined);
    tree.add('first', 'question');
    tree.add('second', 'question');
    tree.add('third', 'question');
    tree.show('second');
    assert.deepEqual(tree.remove('second'), ['second']);
    assert.deepEqual(tree.path, ['question', 'third']);
    assert.deepEqual(tree.remove('third'), ['third']);
    assert.deepEqual(tree.path, ['question', 'first']);
    tree.remove('first');
    assert.deepEqual(tree.path, ['question']);
    assert.deepEqual(tree.remove('question'), ['question']);
    assert.equal(tree.head, undefined);
  });

  it('reorders siblings, with unnamed ones last', () => {
    const tree = new MessageTree();
    for (const id of ['a', 'b', 'c', 'd']) tree.add(id, undefined);
    tree.sortChildren(
      undefined,
      new Map([
        ['c', 0],
        ['a', 1],
      ]),
    );
    assert.deepEqual(tree.siblings('a'), ['c', 'a', 'b', 'd']);
    assert.equal(tree.head, 'd');
  });

  it('rejects a duplicate message, and a message with an unknown parent', () => {
    const tree = new MessageTree();
    tree.add('question', undefined);
    assert.throws(() => tree.add('question', undefined), RangeError);
    assert.throws(() => tree.add('answer', 'missing'), RangeError);
  });
});

function play(tree: MessageTree, model: Model, step: Step, id: string): void {
  if (step.do === 'add') {
    const parent = model.pick(step.after);
    model.parents.set(id, parent);
    tree.add(id, parent);
    assert.equal(tree.head, id);
    return;
  }
  const chosen = model.pick(step.which);
  if (chosen === undefined) return;
  if (step.do === 'show') {
    tree.show(chosen);
    assert.ok(tree.path.includes(chosen));
    return;
  }
  const wasShown = tree.path.includes(chosen);
  const before = tree.path.slice();
  const removed = model.below(chosen);
  assert.deepEqual([...tree.remove(chosen)].sort(), [...removed].sort());
  for (const each of removed) model.parents.delete(each);
  if (!wasShown) assert.deepEqual(tree.path, before);
}

function check(tree: MessageTree, model: Model): void {
  for (const [id, parent] of model.parents) {
    assert.equal(tree.parent(id), parent);
    assert.deepEqual(tree.siblings(id), model.listChildren(parent));
  }
  assert.deepEqual(tree.path, model.pathTo(tree.head));
  if (tree.head !== undefined) assert.deepEqual(model.listChildren(tree.head), []);
  else assert.equal(model.parents.size, 0);
}
