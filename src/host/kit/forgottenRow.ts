/** What a command gets in place of the row of its menu when VS Code no longer knew the row. */
export const forgottenRow = { rows: 'forgotten' } as const;

/**
 * The arguments of a command, with `forgottenRow` where VS Code passes nothing for a row: the command is to ask then,
 * and not to take what is selected or in front, as it does from the palette, which passes no arguments.
 */
export function withForgottenRow(args: readonly unknown[]): readonly unknown[] {
  const [row, ...others] = args;
  return args.length > 0 && row === undefined ? [forgottenRow, ...others] : args;
}
