import type { CompareMessage } from '../../../protocol/compareMessage.ts';
import { runCommand } from '../../kit/contributions.ts';
import type { ChatSession } from '../chatSession.ts';

/** Does what the user asks for with answers that are side by side, or could be. */
export async function handleComparison(
  { type, turnId }: CompareMessage,
  { comparing }: ChatSession,
): Promise<void> {
  switch (type) {
    case 'go-on-with':
      return comparing.goOnWith(turnId);
    case 'close-column':
      return comparing.close(turnId);
    case 'compare-branches':
      return comparing.resume(turnId);
    case 'compare-answer':
      return void (await runCommand('chat.compareAnswer', turnId));
    case 'open-differences':
      return void (await runCommand('chat.openDifferences', turnId));
    default:
      return type satisfies never;
  }
}
