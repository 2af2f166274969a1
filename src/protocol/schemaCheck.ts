/** How a reply stands to the JSON Schema that its question asked for. */
import * as z from 'zod';
import { id } from './pageMessage.ts';

export interface SchemaCheckView {
  readonly kind: 'matches' | 'differs' | 'unchecked';
  readonly title: string;
  /** What is wrong, each with its place, such as "$.items[3].price must be a number". */
  readonly faults: readonly string[];
  /** How many more there are, in words; absent for none. */
  readonly more?: string;
}

/** Shows in an editor where a reply differs from its schema. */
const openFault = z.strictObject({
  type: z.literal('open-fault'),
  turnId: id,
  index: z.int().min(0).max(1000),
});

export const schemaCheckMessages = [openFault] as const;
