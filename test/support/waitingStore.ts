import type { ConversationStore } from '../../src/conversations/store/conversationStore.ts';

const pauseMs = 5;
const maxPauses = 1_000;

/**
 * Wraps the store of a window for tests that write to it directly: each call waits until no other thread writes. A
 * real window never blocks for this.
 */
export function createWaitingStore(store: ConversationStore): ConversationStore {
  return wrapCalls(store);
}

function wrapCalls<Part extends object>(part: Part): Part {
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === 'function')
        return (...args: readonly unknown[]) => callWhenFree(() => value.apply(target, args));
      return typeof value === 'object' && value !== null ? wrapCalls(value) : value;
    },
  });
}

/** The extension's errors come from another bundle than the test's. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'kind' in error && error.kind === 'busy';
}

function callWhenFree<Result>(act: () => Result): Result {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return act();
    } catch (error) {
      if (!isBusy(error) || pauses === maxPauses) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
  }
}
