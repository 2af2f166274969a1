/** The maximum delay of a timer, in milliseconds: a longer timer fires at once. */
export const maxTimerMs = 2 ** 31 - 1;
