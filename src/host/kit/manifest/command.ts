import type { CommandId } from './contributions.ts';

/** A command, with the services of its layer. VS Code passes further arguments, such as a row of a view. */
export type Command<Services> = (services: Services, ...args: readonly unknown[]) => unknown;

/** A feature's commands by their ids. */
export type CommandTable<Services> = Readonly<Partial<Record<CommandId, Command<Services>>>>;

/** The argument of a menu command if VS Code no longer knows the menu's row. */
export const missingRow = { rows: 'forgotten' } as const;

/**
 * Replaces an undefined row in the arguments of a command by `missingRow`. The command then lets the user choose,
 * and does not use the selected or active item. The palette passes no arguments.
 */
export function withMissingRow(args: readonly unknown[]): readonly unknown[] {
  const [row, ...others] = args;
  return args.length > 0 && row === undefined ? [missingRow, ...others] : args;
}
