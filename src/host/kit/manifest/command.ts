import type { CommandId } from './contributions.ts';

/** A command. VS Code passes further arguments after the services, such as a row of a view. */
export type Command<Services> = (services: Services, ...args: readonly unknown[]) => unknown;

/** A feature's commands by their ids. */
export type CommandTable<Services> = Readonly<Partial<Record<CommandId, Command<Services>>>>;

/** The argument of a menu command if VS Code no longer knows the row of the menu. */
export const missingRow = { rows: 'forgotten' } as const;

/**
 * Replaces an undefined row in the arguments of a command by `missingRow`. The command then lets the user choose
 * instead of using the selected or active item. The command palette does not pass arguments.
 */
export function withMissingRow(args: readonly unknown[]): readonly unknown[] {
  const [row, ...others] = args;
  return args.length > 0 && row === undefined ? [missingRow, ...others] : args;
}
