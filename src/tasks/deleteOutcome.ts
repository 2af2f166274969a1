import type { TaskSnapshot } from '../wire/apis/taskRecord/snapshot.ts';

/**
 * What reading a task after its deletion showed, or the record with which the gateway answered the deletion.
 */
export type DeleteOutcome = 'deleted' | 'kept' | 'unclear' | TaskSnapshot;
