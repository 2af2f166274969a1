import * as z from 'zod';
import { id } from './pageMessage.ts';

/** Whether a reply matches the JSON Schema of its question. */
export interface SchemaCheckView {
  readonly kind: 'matches' | 'differs' | 'unchecked';
  readonly title: string;
  /** The problems, each with its path, such as "$.items[3].price must be a number". */
  readonly faults: readonly string[];
  /** The number of further problems, as text; absent if there are none. */
  readonly more?: string;
}

/** Shows one of the problems in an editor. */
const openFault = z.strictObject({
  type: z.literal('open-fault'),
  turnId: id,
  index: z.int().min(0).max(1000),
});

export const schemaCheckMessages = [openFault] as const;
