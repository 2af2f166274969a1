import * as z from 'zod';

// Building blocks of the request schemas of several formats.

export const stringField = z.string();

export const flag = z.boolean();

/** An object that is passed on unchanged. */
export const anyObject = z.looseObject({});

/** An optional number in a range. */
export const number = (description: string, min: number, max: number) =>
  z.number().min(min).max(max).nullish().describe(description);

/** An optional whole number in a range. */
export const count = (description: string, min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z.int().min(min).max(max).nullish().describe(description);
