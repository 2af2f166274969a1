import type { CommandTable } from '../kit/manifest/command.ts';
import type { RequestServices } from './requestServices.ts';

function showUsage({ usageDocument }: RequestServices): Promise<void> {
  return usageDocument.show();
}

export const usageCommands = { showUsage } satisfies CommandTable<RequestServices>;
