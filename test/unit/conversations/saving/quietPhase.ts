import assert from 'node:assert/strict';
import type { ConversationStore } from '../../../../src/conversations/store/conversationStore.ts';
import { waitForWork } from '../../../support/testClock.ts';
import type { ChatWindow } from './chatWindow.ts';

/** The longest pause between two attempts is 30 s. A short draft is written after a second. */
const maxSteps = 35;
const stepMs = 1_000;
const idleMs = 600_000;

/**
 * Without faults, a window stores everything by itself, without a flush, within a bounded number of steps.
 *
 * @param isAlone whether no other window may have written the draft
 */
export async function letWritesEnd(window: ChatWindow, isAlone: boolean): Promise<void> {
  const { clock, saver, store, draft } = window;
  const waitForFiles = trackFiles(store);
  for (let steps = 0; steps < maxSteps; steps += 1) {
    await clock.advance(stepMs);
    await waitForFiles();
  }
  assert.equal(saver.problem, undefined, 'a write is still refused');
  assert.equal(clock.timers, 0, 'timers after the last write');
  if (isAlone) assert.equal(store.drafts.read(saver.id)?.text ?? '', draft, 'the stored draft');

  const written = countChanges(store);
  await clock.advance(idleMs);
  assert.equal(countChanges(store), written, 'writes of an idle window');
}

/** Returns a function that waits for files, because they are read and written in real time. */
function trackFiles({ attachments }: ConversationStore): () => Promise<void> {
  const running = new Set<Promise<unknown>>();
  const track = <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    const done = () => running.delete(work);
    work.then(done, done);
    return work;
  };
  const { add, read } = attachments;
  Object.assign(attachments, {
    add: (bytes: Uint8Array) => track(add.call(attachments, bytes)),
    read: (hash: string) => track(read.call(attachments, hash)),
  });
  return async () => {
    for (; running.size > 0; await waitForWork()) await Promise.allSettled(running);
  };
}

function countChanges({ database }: ConversationStore): number | undefined {
  return database.get<{ changes: number }>('SELECT total_changes() AS changes')?.changes;
}
