/** Whether a reply matches the JSON Schema that its question requested. */
import * as z from 'zod';
import { id } from './pageMessage.ts';

export interface SchemaCheckView {
  readonly kind: 'matches' | 'differs' | 'unchecked';
  readonly title: string;
  /** The problems, each with its path, such as "$.items[3].price must be a number". */
  readonly faults: readonly string[];
  /** How many further problems there are, as text; absent if there are none. */
  readonly more?: string;
}

/** Shows in an editor where a reply violates its schema. */
const openFault = z.strictObject({
  type: z.literal('open-fault'),
  turnId: id,
  index: z.int().min(0).max(1000),
});

export const schemaCheckMessages = [openFault] as const;
