/** Replaces the argument of a menu command if VS Code no longer knows the menu's row. */
export const missingRow = { rows: 'forgotten' } as const;

/**
 * The arguments of a command, with `missingRow` if VS Code passes undefined for a row. The command then lets
 * the user choose, and does not use the selected or active item. The palette passes no arguments.
 */
export function withMissingRow(args: readonly unknown[]): readonly unknown[] {
  const [row, ...others] = args;
  return args.length > 0 && row === undefined ? [missingRow, ...others] : args;
}
