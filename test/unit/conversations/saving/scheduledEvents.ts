/** The possible events. An event that is listed more often is more likely. */
export const scheduledEvents = [
  ...['ask', 'ask', 'ask', 'askWithFiles', 'retry', 'editQuestion', 'editAnswer'],
  ...['continue', 'show', 'draft'],
  ...[
    'delete',
    'delete',
    'undo',
    'undo',
    'compare',
    'compare',
    'addReplies',
    'showOnly',
    'close',
    'showAlternatives',
  ],
  ...['arrive', 'arrive', 'arrive', 'finish', 'finish', 'finish', 'refuse', 'wait', 'readChanges'],
  ...['fillDisk', 'freeDisk', 'kill', 'killSoon', 'open', 'reload', 'passMonth'],
] as const;

export type ScheduledEvent = (typeof scheduledEvents)[number];
