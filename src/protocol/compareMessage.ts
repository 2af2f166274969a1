/** What a click beside answers that are compared tells the host. */
import * as z from 'zod';
import { id } from './pageMessage.ts';

export const compareMessages = [
  z.strictObject({
    type: z.enum([
      /** Shows the column of a turn alone, to go on with it. */
      'go-on-with',
      'close-column',
      /** Opens the answer in the diff editor beside another one. */
      'open-differences',
      /** Asks more models the question of a turn. */
      'compare-answer',
      /** Shows an answer and its alternatives side by side. */
      'compare-branches',
    ]),
    turnId: id,
  }),
] as const;
