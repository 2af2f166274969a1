/** The meaning of a status word. All but running are final, so polling may end. */
export type StatusClass = 'running' | 'completed' | 'failed' | 'cancelled' | 'needs-attention';

/** Those of a running task that has not begun. */
const queued =
  'queued queue queueing queuing inqueue pending submitted created accepted received new waiting wait scheduled ' +
  'notstart notstarted 排队中 等待中';

const words: Record<StatusClass, string> = {
  running:
    `${queued} ` +
    'init initializing initialized preparing preprocessing validating starting started ' +
    'booting assigned running run inprogress processing process generating handling dreaming working rendering ' +
    'postprocessing finalizing archiving uploading saving throttled suspended paused updating active modal ' +
    'cancelling canceling cancellationrequested requirescontinuation 处理中 生成中 进行中',
  completed:
    'completed complete succeeded succeed success successful successed done finished finish partiallysucceeded ' +
    '已完成 完成 成功 已成功 生成成功',
  failed:
    'failed fail failure error errored timeout timedout expired rejected blocked moderated requestmoderated ' +
    'contentmoderated incomplete budgetexceeded banned tasknotfound notfound skipped crashed dead deleted ' +
    '失败 已失败 生成失败 超时 已超时 已过期',
  cancelled: 'cancelled canceled cancel aborted stopped terminated revoked 已取消 取消',
  'needs-attention': 'requiresaction inputrequired authrequired',
};

const classes: ReadonlyMap<string, StatusClass> = new Map(
  (Object.entries(words) as [StatusClass, string][]).flatMap(([status, list]) =>
    list.split(' ').map((word) => [word, status] as const),
  ),
);

const queuedWords: ReadonlySet<string> = new Set(queued.split(' '));

/** Words that no prefix such as `TASK_STATE_` or `JobStatus.` may hold, because they change the meaning. */
const otherStatus = /(^|[^a-z])(not?|non|never|invalid|unknown|previous|prior|last|old|next)([^a-z]|$)/;

/** The meaning of a status word in any spelling; undefined for an unknown word. */
export function classOfStatus(word: string): StatusClass | undefined {
  return classes.get(plainStatus(word));
}

/** Whether the word says that the task has not begun. An unknown word may, by the word it holds. */
export function isQueuedStatus(word: string): boolean {
  const plain = plainStatus(word);
  return queuedWords.has(plain) || (!classes.has(plain) && /queue|pending/.test(plain));
}

/** Whether the gateway says that it does not know the status, or the task. */
export function isUnknownStatus(word: string): boolean {
  return plainStatus(word) === 'unknown';
}

/** Whether the word says that the task does not exist. */
export function isMissingStatus(word: string): boolean {
  return /^(task)?notfound$/.test(plainStatus(word));
}

/**
 * Whether the word may be about the call, as in `{"status":"success","data":{…}}`, or a status as a number.
 */
export function isCallStatus(word: string): boolean {
  return /^\d+$|^(ok|success|successful|true)$/.test(plainStatus(word));
}

/** Whether the word may be about the end of a call, by this gateway or the one behind it. */
export function isEndOfCall(word: string): boolean {
  return isCallStatus(word) || classOfStatus(word) === 'completed';
}

/** One vendor means ready to run, another ready to download. */
export function isReadyStatus(word: string): boolean {
  return plainStatus(word) === 'ready';
}

/** Words that also describe files and accounts. */
export function isAmbiguousStatus(word: string): boolean {
  return /^(active|ready|new|created|accepted|received)$/.test(plainStatus(word));
}

/** Longer words are no status. */
const maxStatusLength = 200;

function plainStatus(word: string): string {
  const lower = word
    .slice(0, maxStatusLength)
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase();
  const [prefix = ''] = /^[a-z\d_.:/\s-]*(?:state|status)[_.:/\s-]+/.exec(lower) ?? [];
  const bare = otherStatus.test(prefix) ? lower : lower.slice(prefix.length);
  return bare.replace(/[\s_-]|[.。!！]$/g, '');
}
