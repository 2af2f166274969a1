import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { type Choice, isInputOpen, pick } from '../../kit/display/prompts.ts';
import { commandsIn, joinedCommands, scriptIn, wholeScript } from './terminalText.ts';

/** How long a new terminal's shell may take to say that it is there, in milliseconds. Some never say it. */
const shellStartMs = 3000;

/** What to put into a terminal: a line, or a block of code whose lines belong together. */
type Chosen = { readonly line: string } | { readonly script: string };

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
    const chosen = await this.#choose(code, language);
    if (chosen === undefined) return;
    const terminal = this.#terminal();
    terminal.show(isInputOpen());
    await prompted(terminal);
    const line = 'line' in chosen ? chosen.line : wholeScript(chosen.script, terminal.state.shell);
    if (line !== undefined) terminal.sendText(line, false);
    else await notify('info', noWholeScript());
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #choose(code: string, language: string): Promise<Chosen | undefined> {
    const commands = commandsIn(code, language);
    const [only] = commands;
    if (only === undefined) {
      await notify('info', vscode.l10n.t('This block has no command that can be inserted into a terminal.'));
      return undefined;
    }
    if (commands.length === 1) return { line: only };
    const all = joinedCommands(commands, language);
    const choices: readonly (Choice & { readonly chosen: Chosen })[] = commands.map((label) => ({
      label,
      chosen: { line: label },
    }));
    const together = vscode.l10n.t('All {0} commands, one after another', commands.length);
    const picked = await pick(
      all === undefined
        ? [scriptChoice(scriptIn(code, language)), ...choices]
        : [{ label: together, description: all, chosen: { line: all } }, ...choices],
      {
        title: vscode.l10n.t('Insert into Terminal'),
        placeHolder: vscode.l10n.t(
          'Choose the commands to insert into the terminal; they run only when you press Enter there',
        ),
      },
    );
    return picked?.chosen;
  }

  #terminal(): vscode.Terminal {
    const { activeTerminal } = vscode.window;
    const isReady = activeTerminal?.shellIntegration !== undefined && this.#idle.has(activeTerminal);
    return isReady ? activeTerminal : vscode.window.createTerminal();
  }
}

function scriptChoice(script: string): Choice & { readonly chosen: Chosen } {
  const label = vscode.l10n.t('All lines together');
  return { label, description: vscode.l10n.t('written as one command'), chosen: { script } };
}

function noWholeScript(): string {
  return vscode.l10n.t(
    'These lines were not inserted into the terminal: its shell would run each line at once, or they are too long. Copy the code instead.',
  );
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
