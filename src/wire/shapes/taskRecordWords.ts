/** What a state word means. Everything but running is an end: polling on would change nothing. */
export type StateClass = 'running' | 'completed' | 'failed' | 'cancelled' | 'needs-attention';

const words: Record<StateClass, string> = {
  running:
    'queued queue queueing queuing inqueue pending submitted created accepted received new init initializing ' +
    'initialized waiting wait scheduled notstart notstarted preparing preprocessing validating starting started ' +
    'booting assigned running run inprogress processing process generating handling dreaming working rendering ' +
    'postprocessing finalizing archiving uploading saving throttled suspended paused updating active modal ' +
    'cancelling canceling cancellationrequested requirescontinuation',
  completed:
    'completed complete succeeded succeed success successful successed done finished finish partiallysucceeded',
  failed:
    'failed fail failure error errored timeout timedout expired rejected blocked moderated requestmoderated ' +
    'contentmoderated incomplete budgetexceeded banned tasknotfound notfound skipped crashed dead deleted',
  cancelled: 'cancelled canceled cancel aborted stopped terminated revoked',
  'needs-attention': 'requiresaction inputrequired authrequired',
};

const classes: ReadonlyMap<string, StateClass> = new Map(
  (Object.entries(words) as [StateClass, string][]).flatMap(([state, list]) =>
    list.split(' ').map((word) => [word, state] as const),
  ),
);

/** What a state word means, in any spelling; undefined for a word nobody has told the meaning of. */
export function classOfWord(word: string): StateClass | undefined {
  const plain = word.trim().toLowerCase();
  return classes.get(plain.replace(/^(job_state_|task_status_|status_)/, '').replace(/[\s_-]/g, ''));
}
