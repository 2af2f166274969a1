/** The possible events. An event that is listed more often is more likely. */
export const happenings = [
  ...['ask', 'ask', 'ask', 'askWithFiles', 'again', 'editQuestion', 'editAnswer'],
  ...['continue', 'show', 'draft'],
  ...['delete', 'delete', 'undo', 'undo', 'compare', 'compare', 'beside', 'goOnWith', 'close', 'resume'],
  ...['arrive', 'arrive', 'arrive', 'finish', 'finish', 'finish', 'refuse', 'pass', 'catchUp'],
  ...['full', 'free', 'kill', 'killSoon', 'open', 'reload', 'month'],
] as const;

export type Happening = (typeof happenings)[number];
