import * as vscode from 'vscode';
import { notify } from '../display/notify.ts';
import { pick } from '../display/prompts.ts';
import { commandsIn, joinedCommands } from './terminalText.ts';

/** How long a new terminal's shell may take to say that it is there, in milliseconds. Some never say it. */
const shellStartMs = 3000;

/**
 * Puts commands of a reply before the prompt of a terminal. Nothing runs by itself: only one line is put there,
 * without a line break, and only where a shell waits for a command, never where a program would take it for keys.
 */
export class Terminals {
  /** Terminals of which a shell says that it waits for a command. */
  readonly #idle = new WeakSet<vscode.Terminal>();
  readonly #subscriptions = [
    vscode.window.onDidStartTerminalShellExecution(({ terminal }) => this.#idle.delete(terminal)),
    vscode.window.onDidEndTerminalShellExecution(({ terminal }) => this.#idle.add(terminal)),
  ];

  async put(code: string, language: string): Promise<void> {
    const line = await this.#choose(code, language);
    if (line === undefined) return;
    const terminal = this.#terminal();
    terminal.show();
    await prompted(terminal);
    terminal.sendText(line, false);
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #choose(code: string, language: string): Promise<string | undefined> {
    const commands = commandsIn(code, language);
    const [only] = commands;
    if (only === undefined) {
      await notify(
        'info',
        vscode.l10n.t('There is no command in this block that could be put into a terminal.'),
      );
      return undefined;
    }
    if (commands.length === 1) return only;
    const all = joinedCommands(commands, language);
    const choices = commands.map((label) => ({ label, line: label }));
    const together = vscode.l10n.t('All {0} commands, one after another', commands.length);
    const picked = await pick(
      all === undefined ? choices : [{ label: together, description: all, line: all }, ...choices],
      {
        title: vscode.l10n.t('Put into Terminal'),
        placeHolder: vscode.l10n.t(
          'Choose what to put into the terminal; nothing runs until you press Enter there',
        ),
      },
    );
    return picked?.line;
  }

  #terminal(): vscode.Terminal {
    const { activeTerminal } = vscode.window;
    const isReady = activeTerminal?.shellIntegration !== undefined && this.#idle.has(activeTerminal);
    return isReady ? activeTerminal : vscode.window.createTerminal();
  }
}

/**
 * Resolves when the shell is about to prompt: it tells its folder with each prompt. What is typed before is shown
 * twice, by the terminal and by the shell.
 */
async function prompted(terminal: vscode.Terminal): Promise<void> {
  if (terminal.shellIntegration?.cwd) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, shellStartMs);
  const subscription = vscode.window.onDidChangeTerminalShellIntegration((event) => {
    if (event.terminal === terminal && event.shellIntegration.cwd) resolve();
  });
  await promise;
  clearTimeout(timer);
  subscription.dispose();
}
