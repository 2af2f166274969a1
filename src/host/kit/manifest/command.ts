import type { CommandId } from './contributions.ts';

/** A command, with the services of its layer. VS Code passes further arguments, such as a row of a view. */
export type Command<Services> = (services: Services, ...args: readonly unknown[]) => unknown;

/** A feature's commands by their ids. */
export type CommandTable<Services> = Readonly<Partial<Record<CommandId, Command<Services>>>>;
