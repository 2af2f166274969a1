import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build } from 'esbuild';
import type { MessageRecord } from '../../src/conversations/conversation/conversationRecord.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import type { ChatChildReport } from '../support/chatChildReport.ts';
import { readMessageText } from '../support/conversationStores.ts';
import { longRuns } from '../support/longRuns.ts';
import { seed } from '../support/seed.ts';
import { createRandom } from '../support/seededRandom.ts';

const killCount = longRuns ? 200 : 6;
const slotCount = 2;
/** The maximum number of reports that a window sends before it is killed. */
const maxReports = 200;
const secondMs = 1_000;

type Arrived = Extract<ChatChildReport, { type: 'arrived' }>;

/** The reports of the windows before they were killed. */
class ChildReports {
  readonly questions: Extract<ChatChildReport, { type: 'question' }>[] = [];
  readonly arrived = new Map<string, Arrived[]>();
  readonly finished = new Map<string, number>();

  add(report: ChatChildReport): void {
    if (report.type === 'question') this.questions.push(report);
    else if (report.type === 'finished') this.finished.set(report.reply, report.length);
    else this.arrived.set(report.reply, [...(this.arrived.get(report.reply) ?? []), report]);
  }

  /** The minimum length of a reply: the text that arrived more than a second before its last report. */
  getMinLength(reply: string): number {
    const arrived = this.arrived.get(reply) ?? [];
    const last = arrived.at(-1)?.at ?? 0;
    return this.finished.get(reply) ?? arrived.findLast(({ at }) => at <= last - secondMs)?.length ?? 0;
  }
}

describe('conversations in processes that are killed', () => {
  let folder: string;
  let program: string;
  const children: ChildProcess[] = [];

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'conversations-'));
    program = join(folder, 'child.mjs');
    await build({
      entryPoints: ['test/support/chatChild.ts'],
      outfile: program,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'silent',
    });
  });

  after(() => {
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  async function runUntilKilled(
    file: string,
    window: string,
    sibling: string,
    reports: ChildReports,
    random: () => number,
  ): Promise<void> {
    const child = spawn(process.execPath, [program, file, window, sibling], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    let remaining = Math.floor(random() * maxReports);
    const hasReported = new Promise<void>((resolve) => {
      child.on('message', (report: ChatChildReport) => {
        reports.add(report);
        if (--remaining <= 0) resolve();
      });
    });
    const exit = once(child, 'exit');
    await Promise.race([hasReported, exit]);
    await pause(random() * 4);
    assert.equal(child.exitCode, null, 'the window ended by itself');
    child.kill('SIGKILL');
    await exit;
  }

  it(`P16 D18 F91 keep every question and all but the last second of each reply: ${killCount} SIGKILLs (seed ${seed})`, async () => {
    const file = join(folder, 'conversations.sqlite');
    const reports = new ChildReports();
    const slot = async (number: number) => {
      const random = createRandom(seed + number);
      const name = (of: number, life: number) => `window ${of} ${life}`;
      for (let life = 0; life < killCount / slotCount; life++) {
        await runUntilKilled(file, name(number, life), name(1 - number, life), reports, random);
      }
    };
    await Promise.all(Array.from({ length: slotCount }, (_, number) => slot(number)));

    const store = openConversationStore({ file, window: 'test' });
    try {
      await store.stopAbandonedReplies(() => false);
      assert.equal(
        store.database.get<{ integrity_check: string }>('PRAGMA integrity_check')?.integrity_check,
        'ok',
      );
      assert.deepEqual(
        readdirSync(folder).filter((name) => name.startsWith('corrupt-')),
        [],
      );
      let stopped = 0;
      let stoppedTogether = 0;
      for (const { chat, question, text, replies: replyIds } of reports.questions) {
        const [storedQuestion, ...replies] = store.readMessages(chat, [question, ...replyIds]);
        assert.ok(storedQuestion, `${text} is lost`);
        assert.equal(readMessageText(storedQuestion), text);
        const parents = replies.map(({ id, parent }) => [id, parent]);
        assert.deepEqual(
          parents,
          replyIds.map((id) => [id, question]),
        );
        for (const reply of replies) checkReply(reply, reports);
        const cut = replies.filter(({ state }) => state === 'stopped').length;
        stopped += cut > 0 ? 1 : 0;
        stoppedTogether += cut > 1 ? 1 : 0;
      }
      assert.ok(stopped >= killCount / 4, `only ${stopped} replies arrived at a kill`);
      assert.ok(stoppedTogether >= killCount / 8, `only ${stoppedTogether} times several did`);
      assert.ok(reports.questions.length > killCount, `only ${reports.questions.length} questions were sent`);
    } finally {
      store.close();
    }
  }).timeout(900_000);
});

/** The required part of the reply exists, from its start and in order. */
function checkReply(reply: MessageRecord, reports: ChildReports): void {
  const stored = readMessageText(reply);
  const minLength = reports.getMinLength(reply.id);
  assert.ok(stored.length >= minLength, `${stored.length} of at least ${minLength} characters are stored`);
  for (let at = 0; at < stored.length; at += `${at} `.length)
    assert.ok(stored.startsWith(`${at} `, at), stored);
  if (reports.finished.has(reply.id)) assert.equal(reply.state, 'done');
  assert.notEqual(reply.state, 'arriving');
}
