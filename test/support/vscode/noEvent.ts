import { EventEmitter } from './values.ts';

/** An event that never fires. */
export const noEvent = new EventEmitter<never>().event;
