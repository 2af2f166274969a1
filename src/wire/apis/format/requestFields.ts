import * as z from 'zod';

// What the request schemas of several formats are made of.

export const text = z.string();

export const flag = z.boolean();

/** An object that is passed on as it is. */
export const anyObject = z.looseObject({});

/** A number in a range, which may be left out. */
export const number = (description: string, min: number, max: number) =>
  z.number().min(min).max(max).nullish().describe(description);

/** A whole number in a range, which may be left out. */
export const count = (description: string, min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z.int().min(min).max(max).nullish().describe(description);
