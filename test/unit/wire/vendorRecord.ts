import type { TaskSnapshot } from '../../../src/wire/apis/taskRecord/snapshot.ts';

export const url = 'https://files.example/v.mp4';

export interface ExpectedSnapshot {
  readonly id?: string;
  readonly status: TaskSnapshot['status'];
  readonly failedAs?: TaskSnapshot['failedAs'];
  readonly progress?: number;
  readonly urls?: readonly string[];
  readonly message?: string;
  readonly code?: string;
}

/** A record that a system writes, and its meaning. */
export type VendorRecord = readonly [system: string, record: unknown, expected: ExpectedSnapshot];
