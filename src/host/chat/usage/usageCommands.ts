import type { CommandTable, Services } from '../../app/services.ts';

function showUsage({ usageDocument }: Services): Promise<void> {
  return usageDocument.show();
}

export const usageCommands = { showUsage } satisfies CommandTable;
