import assert from 'node:assert/strict';
import { prependFiles } from '../../../../src/conversations/conversation/attachedFile.ts';
import { maxCompared } from '../../../../src/conversations/conversation/comparison.ts';
import { Conversation } from '../../../../src/conversations/conversation/conversation.ts';
import { replyText } from '../../../../src/conversations/conversation/reply.ts';
import type { Prompt, Turn } from '../../../../src/conversations/conversation/turn.ts';
import { StorageError } from '../../../../src/storage/sqlite/storageError.ts';
import { createResult, createTextEvent } from '../../../support/conversationStores.ts';
import { TestClock } from '../../../support/testClock.ts';
import {
  type ChatWindow,
  createPrompt,
  createSettings,
  describeScreen,
  isSafe,
  isStored,
  openWindow,
  picture,
  refusal,
  shownText,
} from './chatWindow.ts';
import { findAll } from './findAll.ts';
import { letWritesEnd } from './quietPhase.ts';
import { ChatMemory } from './remembered.ts';
import type { ScheduledEvent } from './scheduledEvents.ts';

const models = ['a', 'b', 'c'];

/** Deleted messages can be brought back for 30 days. */
const monthMs = 31 * 24 * 3_600_000;

interface SimulatedWindow extends ChatWindow {
  /** Whether no other window was alive when it was opened. */
  readonly wasAlone: boolean;
  /** Whether its changes may still reach the disk later. */
  isLate: boolean;
}

/** Windows that show one chat, and a record of the content that must not get lost. */
export class SavingSimulation {
  readonly #file: string;
  readonly #disk = { full: false };
  readonly #windows: SimulatedWindow[] = [];
  readonly #memory = new ChatMemory();
  #names = 0;
  #months = 0;

  constructor(file: string) {
    this.#file = file;
  }

  async perform(kind: ScheduledEvent, which: number): Promise<void> {
    if (kind === 'fillDisk' || kind === 'freeDisk') this.#disk.full = kind === 'fillDisk';
    else if (kind === 'open') await this.#open();
    else await this.#performIn(await this.#window(which), kind, which);
  }

  /** Ends all faults, lets the windows die without a last write, and checks that nothing is missing. */
  async checkStored(): Promise<void> {
    this.#disk.full = false;
    for (const window of this.#livingWindows) {
      window.life.dieAfter(Number.POSITIVE_INFINITY);
      // Other replies are not finished, but the received text must be stored.
      if (this.#names % 2 === 0) for (const id of window.running) await this.#finish(window, id);
      await letWritesEnd(window, this.#windows.length === 1);
      this.#markWritten(window);
      window.life.die();
    }
    const { messages, counted } = await findAll(this.#file);
    this.#memory.check(messages);
    this.#memory.checkUsage(counted);
  }

  async #performIn(window: SimulatedWindow, kind: string, which: number): Promise<void> {
    const { conversation, saver, life, running } = window;
    if (kind === 'kill') life.die();
    else if (kind === 'killSoon') life.dieAfter(which);
    else if (kind === 'wait') await window.clock.advance(1_000);
    else if (kind === 'arrive') this.#arrive(window, which);
    else if (kind === 'finish') await this.#finish(window, [...running][which % Math.max(1, running.size)]);
    else if (kind === 'refuse') await this.#refuse(window, [...running][which % Math.max(1, running.size)]);
    else if (kind === 'passMonth') this.#purge(window);
    else if (kind === 'draft') this.#write(window);
    else if (running.size > 0) await this.#flush(window);
    else if (kind === 'reload') await this.#reload(window);
    else if (kind === 'readChanges') await this.#readChanges(window);
    else if (kind === 'undo') await this.#undo(window);
    else if (kind === 'ask') await this.#ask(window, this.#prompt());
    else if (kind === 'askWithFiles') await this.#ask(window, this.#prompt(true));
    else if (kind === 'compare') await this.#compare(window, which);
    else {
      const turns = [...conversation.turns, ...conversation.comparison.columns.flat()];
      const turn = turns[which % Math.max(1, turns.length)];
      if (turn) await this.#changeTurn(window, kind, turn, which);
    }
    if (saver.problem === undefined && running.size === 0) await this.#flush(window);
  }

  /** Applies the rules of a chat on screen: the content of a column stays in that column. */
  async #changeTurn(window: SimulatedWindow, kind: string, turn: Turn, which: number): Promise<void> {
    const { conversation, saver } = window;
    const { comparison } = conversation;
    const column = comparison.getColumnEnd(turn.id);
    const settings = createSettings(turn.question.model);
    const branch = (next: Turn | undefined) => this.#branch(window, turn, next, column);
    if (kind === 'retry') await branch(conversation.repeatQuestion(turn.id, settings));
    else if (kind === 'editQuestion')
      await branch(conversation.editQuestion(turn.id, { ...this.#prompt(), ...settings }));
    else if (kind === 'continue') await branch(conversation.continueReply(turn.id, settings));
    else if (kind === 'editAnswer') this.#edit(window, turn, column);
    else if (kind === 'delete') this.#delete(window, which % 2 === 0 ? turn.id : turn.questionId);
    else if (kind === 'show') this.#show(window, turn, which);
    else if (kind === 'addReplies' && comparison.ends.length < maxCompared) {
      await this.#storeTurns(window, comparison.addReplies(turn.id, [createSettings(`model ${which}`)]));
    } else if (kind === 'showAlternatives' && comparison.showAlternatives(turn.firstReplyId))
      saver.storeComparison();
    else if (kind === 'showOnly' && column !== undefined) {
      comparison.showOnly(column);
      saver.storeComparison();
    } else if (kind === 'close' && column !== undefined) {
      comparison.close(column);
      saver.storeComparison();
    }
  }

  get #livingWindows(): readonly SimulatedWindow[] {
    return this.#windows.filter(({ life }) => life.isAlive);
  }

  async #window(which: number): Promise<SimulatedWindow> {
    const living = this.#livingWindows;
    return living[which % Math.max(1, living.length)] ?? this.#open();
  }

  async #open(): Promise<SimulatedWindow> {
    const isAlive = (name: string) => this.#livingWindows.some((window) => window.name === name);
    const name = `window ${this.#windows.length}`;
    const wasAlone = this.#livingWindows.length === 0;
    const clock = new TestClock();
    clock.jump(this.#months * monthMs);
    const opened = await openWindow(this.#file, name, this.#disk, isAlive, new Conversation(), clock);
    const window = { ...opened, wasAlone, isLate: false };
    this.#windows.push(window);
    return window;
  }

  #prompt(hasFiles = false): Prompt {
    const text = `text ${++this.#names}`;
    const file = { name: 'a.ts', language: 'typescript', text: `code ${this.#names % 3}` };
    return hasFiles ? { text, images: [picture], files: [file] } : { text, images: [], files: [] };
  }

  async #ask(window: SimulatedWindow, prompt: Prompt): Promise<void> {
    const { comparison } = window.conversation;
    const turns = comparison.isShown
      ? comparison.addFollowUps(prompt, comparison.models.map(createSettings))
      : [window.conversation.addQuestion({ ...prompt, ...createSettings('a') })];
    await this.#storeTurns(window, turns);
  }

  async #compare(window: SimulatedWindow, which: number): Promise<void> {
    const { comparison, tree } = window.conversation;
    if (comparison.isShown) return this.#ask(window, this.#prompt());
    const replies = models.slice(0, 2 + (which % 2)).map(createSettings);
    await this.#storeTurns(window, comparison.addQuestion(this.#prompt(which > 4), replies, tree.head));
  }

  async #branch(
    window: SimulatedWindow,
    of: Turn,
    turn: Turn | undefined,
    column: string | undefined,
  ): Promise<void> {
    const { conversation } = window;
    if (!turn) return;
    if (column !== undefined) conversation.comparison.replaceEnd(column, turn.id);
    const isReplaced = conversation.turn(of.id) === undefined;
    await this.#storeTurns(window, [turn], isReplaced ? of.id : undefined);
  }

  async #storeTurns(window: SimulatedWindow, turns: readonly Turn[], replaced?: string): Promise<void> {
    for (const turn of turns) {
      this.#remember(window, turn);
      this.#checkSent(window, turn);
      window.running.add(turn.id);
    }
    const earlier = this.#memory.get(replaced);
    if (earlier) earlier.fate = 'unknown';
    await window.saver.storeTurns(turns, replaced);
    this.#whenStored(window, () => {
      if (earlier) earlier.fate = 'unknown';
      for (const { id } of turns) for (const above of this.#memory.pathTo(id)) above.fate = 'there';
    });
    this.#confirmStored(window);
  }

  #remember({ name, conversation }: ChatWindow, { id, questionId, question }: Turn): void {
    const isNew = this.#memory.get(questionId) === undefined && conversation.tree.parent(id) === questionId;
    const add = (message: string, prompt?: Prompt) => {
      let parent = conversation.tree.parent(message);
      while (parent !== undefined && !isStored(parent)) parent = conversation.tree.parent(parent);
      this.#memory.add({ id: message, parent, window: name, ...(prompt && { prompt }) });
    };
    if (isNew) add(questionId, createPrompt(question));
    add(id);
  }

  /** Checks that the path is sent. */
  #checkSent(window: SimulatedWindow, { id, question }: Turn): void {
    const parent = this.#memory.get(this.#memory.get(id)?.parent);
    const above = parent?.prompt ? parent.parent : parent?.id;
    const replyTexts = this.#memory.textsUpTo(above, (reply) => shownText(window, reply));
    const questionTexts = parent?.prompt ? [prependFiles(question.text, question.files)] : [];
    const sent = window.conversation.buildHistory(id, 'prefix').messages;
    const texts = sent.map(({ parts }) => replyText({ parts, citations: [] }));
    assert.deepEqual(texts, [...replyTexts, ...questionTexts]);
  }

  #edit(window: SimulatedWindow, { id }: Turn, column: string | undefined): void {
    const { conversation, saver, name } = window;
    const text = `edited ${++this.#names}`;
    const edited = conversation.editReply(id, text);
    const reply = edited && conversation.reply(edited.id);
    if (!edited || !reply) return;
    const parent = conversation.tree.parent(edited.id);
    this.#memory.add({ id: edited.id, parent, window: name }, text);
    void saver.storeEdit(reply, id);
    if (column !== undefined) {
      conversation.comparison.replaceEnd(column, edited.id);
      saver.storeComparison();
    }
    // If there is no reply, another window may have deleted the question.
    const isCertain = isStored(id) || this.#livingWindows.length === 1;
    this.#whenStored(window, () => {
      if (isCertain) for (const above of this.#memory.pathTo(edited.id)) above.fate = 'there';
    });
  }

  #show({ conversation, saver }: ChatWindow, { firstReplyId, questionId }: Turn, which: number): void {
    const others = conversation.tree.siblings(which % 2 === 0 ? firstReplyId : questionId);
    const other = others[which % others.length] ?? firstReplyId;
    const column = conversation.comparison.chooseColumn(other);
    if (column !== undefined) {
      conversation.comparison.show(column, other);
      saver.storeComparison();
    } else if (conversation.show(other)) saver.storeShownBranch(other);
  }

  #delete(window: SimulatedWindow, id: string): void {
    const { conversation, saver } = window;
    const below = conversation.tree.subtree(id);
    if (below.some((each) => conversation.reply(each)?.unfinished === 'elsewhere')) return;
    const all = new Set(below.flatMap((each) => this.#memory.below(each)));
    const deleted = [...all].filter(({ fate }) => fate !== 'gone');
    const fates = new Map(deleted.map(({ id: each, fate }) => [each, fate]));
    window.deletion = { roots: saver.delete(id), fates };
    const isCertain = this.#livingWindows.length === 1;
    for (const each of deleted) each.fate = 'unknown';
    this.#whenStored(window, () => {
      for (const each of deleted) {
        if (each.fate === 'there') fates.set(each.id, 'there');
        each.fate = isCertain ? 'gone' : 'unknown';
      }
    });
  }

  async #undo(window: SimulatedWindow): Promise<void> {
    const { deletion, conversation, saver } = window;
    if (!deletion) return;
    const deletedMessages = [...deletion.fates.keys()].flatMap((id) => this.#memory.get(id) ?? []);
    const back = deletedMessages.filter(({ fate, isPurged }) => fate === 'gone' && !isPurged);
    for (const each of back) each.fate = 'unknown';
    try {
      const [first] = await saver.undelete(deletion.roots);
      window.deletion = undefined;
      await this.#readChanges(window);
      if (first !== undefined && conversation.show(first)) saver.storeShownBranch(first);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (window.life.isAlive) for (const each of back) each.fate = 'gone';
      return;
    }
    this.#whenStored(window, () => {
      for (const each of back) {
        const above = this.#memory.get(each.parent)?.fate ?? 'there';
        each.fate = above === 'there' ? (deletion.fates.get(each.id) ?? 'unknown') : above;
      }
    });
  }

  #write(window: SimulatedWindow): void {
    window.draft = `draft ${++this.#names}`;
    window.saver.storeDraft({ text: window.draft, images: [] });
  }

  #arrive({ running, conversation, saver }: ChatWindow, which: number): void {
    const id = [...running][which % Math.max(1, running.size)];
    const reply = this.#memory.get(id);
    if (!reply) return;
    const text = `text ${++this.#names}`;
    conversation.appendEvents(reply.id, [createTextEvent(text)]);
    saver.storeEvents(reply.id, [createTextEvent(text)]);
    reply.text += text;
  }

  async #finish(window: SimulatedWindow, id: string | undefined, result = createResult()): Promise<void> {
    const { running, conversation, saver } = window;
    const reply = this.#memory.get(id);
    if (!reply) return;
    reply.end = 'error' in result.outcome ? 'free' : 'paid';
    conversation.finish(reply.id, result);
    running.delete(reply.id);
    await saver.storeResult(reply.id, result);
  }

  /** The gateway refuses the request before any text arrived. */
  async #refuse(window: SimulatedWindow, id: string | undefined): Promise<void> {
    if (this.#memory.get(id)?.text !== '') return;
    await this.#finish(window, id, createResult({ outcome: { kind: 'failed', error: refusal } }));
  }

  /** A month passes, and earlier deletions become permanent. */
  #purge(window: SimulatedWindow): void {
    this.#months += 1;
    for (const { clock } of this.#livingWindows) clock.jump(monthMs);
    const { gone } = this.#memory;
    this.#memory.passMonth();
    try {
      while (window.store.purge());
      for (const each of gone) each.isPurged = true;
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      for (const each of gone) if (!each.isPurged) each.fate = 'unknown';
    }
  }

  /** A change of a window counts once it is on disk, unless other windows made changes in the meantime. */
  #whenStored(window: SimulatedWindow, counts: () => void): void {
    this.#forgetUndone(window);
    this.#forgetOthers(window);
    window.isLate = true;
    window.pending.push(counts);
  }

  #forgetOthers(window: SimulatedWindow): void {
    for (const other of this.#windows) if (other !== window) other.pending.length = 0;
  }

  /** A late write, perhaps by a window before it died, may have undone changes of other windows. */
  #forgetUndone(window: SimulatedWindow): void {
    const ended = this.#windows.filter((each) => each === window || !each.life.isAlive);
    for (const late of ended.filter(({ isLate }) => isLate)) {
      late.isLate = false;
      this.#forgetOthers(late);
    }
  }

  async #flush(window: SimulatedWindow): Promise<void> {
    await window.saver.flush();
    this.#markWritten(window);
  }

  /** All changes and received texts of a window are on disk, if it could write. */
  #markWritten(window: SimulatedWindow): void {
    this.#confirmStored(window);
    if (!isSafe(window)) return;
    for (const reply of this.#memory.of(window.name)) {
      reply.minLength = reply.mayBeLate ? 0 : reply.text.length;
      if (reply.end) reply.counted = reply.end;
    }
  }

  /** All changes of a window are on disk, if it could write. Pending writes of other windows may undo them. */
  #confirmStored(window: SimulatedWindow): void {
    if (!isSafe(window)) return;
    this.#forgetUndone(window);
    const done = window.pending.splice(0);
    if (this.#livingWindows.every(isSafe)) for (const counts of done) counts();
  }

  async #readChanges({ saver }: ChatWindow): Promise<void> {
    const found = await saver.readExternalChanges();
    if (found) saver.applyExternalChanges(found);
  }

  /** Reloads a window. A window that was always the only one must look the same afterwards. */
  async #reload(window: SimulatedWindow): Promise<void> {
    const isAlone = window.wasAlone && this.#windows.at(-1) === window;
    await this.#readChanges(window);
    await window.saver.close();
    this.#markWritten(window);
    const isComparable = isAlone && isSafe(window) && !window.conversation.isEmpty;
    if (window.life.isAlive) window.life.die();
    const { conversation, draft } = await this.#open();
    if (!isComparable) return;
    assert.deepEqual(describeScreen(conversation), describeScreen(window.conversation));
    assert.equal(draft, window.draft);
  }
}
