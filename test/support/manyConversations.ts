import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { ChatRequestRecord } from '../../src/conversations/conversation/conversationRecord.ts';
import { openConversationStore } from '../../src/conversations/store/conversationStore.ts';
import { createRandom } from './seededRandom.ts';

/** The size of the store; the content is the same for the same seed. */
export interface Filling {
  readonly conversations: number;
  /** In all conversations together. */
  readonly messages: number;
  /** The number of messages of one long chat, on one path; no long chat by default. */
  readonly longChat?: number;
  readonly seed?: number;
}

export interface Filled {
  /** The id of the long chat. */
  readonly longChat: string;
  /** The number of characters of all texts. */
  readonly characters: number;
}

const startTime = Date.UTC(2029, 0, 1);
const minuteMs = 60_000;
const models = ['claude-sonnet', 'gemini-pro', 'gpt-large', 'qwen-max', 'deepseek-chat'];
const gateways = ['https://gateway.example', 'https://other.example', 'http://127.0.0.1:4000'];

const english =
  `the of a to in is that it for on with as are this be by from or at an not can which you if your when we
  has have all but will so one use used using time value list file function class return error type string number
  array object data code test run build server client request response table index query key cache thread memory
  process event handler callback promise async await stream buffer parse format version update change add remove
  create delete read write open close start stop check compare merge branch commit review deploy container network
  socket port host name path directory module package import export default config option parameter argument result
  model token prompt answer question context window temperature sample train learn gradient matrix vector distance
  search sort filter group count average median variance random seed kitchen garden river mountain travel ticket
  recipe flour butter oven minute hour week month summer winter letter invoice contract meeting report summary
  translate explain improve rewrite shorten example reason therefore however although because instead between`
    .trim()
    .split(/\s+/);
const chinese =
  `数据 模型 函数 代码 错误 测试 请求 响应 服务器 客户端 数据库 索引 查询 缓存 线程 内存 进程 事件 文件 目录 模块
  版本 更新 参数 结果 问题 回答 上下文 搜索 排序 过滤 平均 随机 训练 学习 翻译 解释 改进 示例 原因 因此 但是 虽然 因为 之间
  时间 今天 明天 工作 会议 报告 总结 旅行 北京 上海 天气 音乐 电影 历史 文化 经济 市场 价格 合同 发票 厨房 花园 河流 山脉`
    .trim()
    .split(/\s+/);
const japanese =
  `データ モデル 関数 コード エラー テスト 質問 回答 検索 東京 大阪 天気 会議 報告 時間 今日 明日 学習 翻訳 説明`
    .trim()
    .split(/\s+/);
const code = [
  'export function sum(values: readonly number[]): number {\n  return values.reduce((a, b) => a + b, 0);\n}',
  'for (const [key, value] of entries) {\n  if (value === undefined) continue;\n  result.set(key, value);\n}',
  'SELECT name, count(*) FROM orders GROUP BY name ORDER BY 2 DESC;',
  'def mean(xs):\n    return sum(xs) / len(xs) if xs else 0.0',
];

/**
 * Creates a full store: short and long chats in several languages with code, some with alternative replies. It is
 * written by plain SQL, in seconds.
 *
 * @param file the path of a store that does not exist yet
 */
export function fillConversations(file: string, filling: Filling): Filled {
  mkdirSync(dirname(file), { recursive: true });
  openConversationStore({ file, window: 'filling' }).close();
  const database = new DatabaseSync(file);
  database.exec('PRAGMA synchronous = OFF; BEGIN');
  try {
    const indexes = database
      .prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL`)
      .all();
    for (const { name } of indexes) database.exec(`DROP INDEX ${name}`);
    const filler = new Filler(database, filling.seed ?? 1);
    filler.fill(filling);
    // Creating the indexes after the rows costs a fraction of updating them row by row.
    for (const { sql } of indexes) database.exec(String(sql));
    database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
    return { longChat: 'long chat', characters: filler.characters };
  } finally {
    database.close();
  }
}

class Filler {
  readonly #random: () => number;
  readonly #conversation: StatementSync;
  readonly #message: StatementSync;
  readonly #content: StatementSync;
  readonly #usage: StatementSync;
  #conversations = 0;
  #messages = 0;
  characters = 0;

  constructor(database: DatabaseSync, seed: number) {
    this.#random = createRandom(seed);
    this.#conversation = database.prepare(
      `INSERT INTO conversations (key, id, title, beginning, createdAt, changedAt, head, workspace, gateway, gatewayName,
         model, format, pinnedAt, archivedAt, revision) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'chatCompletions', ?, ?, 1)`,
    );
    this.#message = database.prepare(
      `INSERT INTO messages (key, conversation, id, parent, role, state, createdAt, model)
       VALUES (?, ?, ?, ?, ?, 'done', ?, ?)`,
    );
    this.#content = database.prepare('INSERT INTO contents (message, choices, request) VALUES (?, ?, ?)');
    this.#usage = database.prepare(
      `INSERT INTO usage (conversation, message, at, day, gateway, gatewayName, model, inputTokens, outputTokens, usd, costSource, isCut)
       VALUES (?, ?, ?, date(? / 1000, 'unixepoch'), ?, 'work', ?, 900, 250, 0.0042, 'gateway', 0)`,
    );
  }

  fill({ conversations, messages, longChat = 0 }: Filling): void {
    if (longChat > 0) this.#addChat('long chat', longChat, 0);
    const others = conversations - this.#conversations;
    for (let remaining = others; remaining > 0; remaining--) {
      const mean = (messages - this.#messages) / remaining;
      // Many short chats, few long ones.
      const length = remaining === 1 ? mean : Math.min(-Math.log(1 - this.#random()) * mean, 10 * mean);
      this.#addChat(`chat ${this.#conversations}`, Math.max(2, Math.round(length)), 0.1);
    }
  }

  #addChat(id: string, messages: number, siblings: number): void {
    const key = ++this.#conversations;
    const at = startTime + key * 7 * minuteMs;
    const gateway = this.#pick(gateways);
    const model = this.#pick(models);
    let beginning = '';
    let parent: number | null = null;
    let isReply = false;
    for (let nth = 0; nth < messages; nth++) {
      const createdAt = at + nth * minuteMs;
      const text = isReply ? this.#createReply() : this.#createQuestion();
      if (nth === 0) beginning = text.replace(/\s+/g, ' ').slice(0, 200);
      const message = this.#addMessage(
        key,
        nth,
        parent,
        createdAt,
        text,
        isReply ? { gateway, model } : undefined,
      );
      // The next reply may be an alternative reply to the same question.
      const hasAlternative = isReply && nth + 1 < messages && this.#random() < siblings;
      if (hasAlternative) continue;
      parent = message;
      isReply = !isReply;
    }
    const workspace = this.#random() < 0.6 ? `file:///work/project-${Math.floor(this.#random() * 30)}` : null;
    const title = this.#random() < 0.5 ? this.#createWords(english, 5) : '';
    const [pinned, archived] = [this.#random() < 0.002 ? at : null, this.#random() < 0.1 ? at : null];
    this.#conversation.run(
      key,
      id,
      title,
      beginning,
      at,
      at + messages * minuteMs,
      parent,
      workspace,
      gateway,
      'work',
      model,
      pinned,
      archived,
    );
  }

  #addMessage(
    conversation: number,
    nth: number,
    parent: number | null,
    createdAt: number,
    text: string,
    target: { readonly gateway: string; readonly model: string } | undefined,
  ): number {
    const key = ++this.#messages;
    const role = target ? 'assistant' : 'user';
    this.#message.run(key, conversation, `message ${nth}`, parent, role, createdAt, target?.model ?? null);
    const request = target && createRequest(key, target.gateway, target.model, createdAt);
    const choices = this.#createChoices(text, target !== undefined);
    this.#content.run(key, choices, request ? JSON.stringify(request) : null);
    if (target)
      this.#usage.run(
        `chat ${conversation}`,
        `message ${nth}`,
        createdAt,
        createdAt,
        target.gateway,
        target.model,
      );
    return key;
  }

  #createChoices(text: string, isReply: boolean): string {
    const reasoning =
      isReply && this.#random() < 0.1 ? [{ type: 'reasoning', text: this.#createWords(english, 60) }] : [];
    this.characters += text.length;
    return JSON.stringify([[...reasoning, { type: 'text', text }]]);
  }

  #createQuestion(): string {
    const length = 5 + Math.floor(this.#random() * 35);
    return this.#createProse(length);
  }

  #createReply(): string {
    const paragraphs = 1 + Math.floor(this.#random() * 4);
    const parts = Array.from({ length: paragraphs }, () =>
      this.#createProse(20 + Math.floor(this.#random() * 60)),
    );
    if (this.#random() < 0.25) parts.push(`\`\`\`\n${this.#pick(code)}\n\`\`\``);
    return parts.join('\n\n');
  }

  #createProse(length: number): string {
    const language = this.#random();
    if (language < 0.7) return `${this.#createWords(english, length)}.`;
    const words = language < 0.95 ? chinese : japanese;
    return `${this.#createWords(words, Math.ceil(length / 2)).replaceAll(' ', '')}。`;
  }

  /** Some words occur often, most occur rarely, as in any language. */
  #createWords(words: readonly string[], count: number): string {
    return Array.from({ length: count }, () => {
      const nth = Math.floor(words.length * this.#random() ** 2);
      return this.#random() < 0.02 ? `${words[nth]}${Math.floor(this.#random() * 5_000)}` : words[nth];
    }).join(' ');
  }

  #pick<Value>(values: readonly [Value, ...Value[]] | readonly Value[]): Value {
    return values[Math.floor(this.#random() * values.length)] as Value;
  }
}

function createRequest(
  message: number,
  gateway: string,
  model: string,
  requestedAt: number,
): ChatRequestRecord {
  return {
    id: `request ${message}`,
    gateway,
    gatewayName: 'work',
    model,
    format: 'chatCompletions',
    requestedAt,
    outcome: 'complete',
    endReason: 'stop',
    finishReason: 'stop',
    firstTokenMs: 420,
    totalMs: 6_300,
    usage: { inputTokens: 900, outputTokens: 250 },
    cost: { usd: 0.0042, source: 'gateway' },
  };
}
