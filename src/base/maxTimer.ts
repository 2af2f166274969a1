/** The most milliseconds a timer takes: one for longer fires at once. */
export const maxTimerMs = 2 ** 31 - 1;
