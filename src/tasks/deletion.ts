import type { TaskSnapshot } from '../wire/apis/taskRecord/decode.ts';

/** What a gateway made of a deletion, where reading could tell: it may also answer with the record of the task. */
export type Deletion = 'deleted' | 'kept' | 'unclear' | TaskSnapshot;
