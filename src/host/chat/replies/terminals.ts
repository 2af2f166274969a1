import * as vscode from 'vscode';
import { notify } from '../../kit/display/notify.ts';
import { type Choice, isInputOpen, pick } from '../../kit/display/quickInput.ts';
import { extractCommands, extractScript, joinCommands, writeScriptAsOneLine } from './terminalText.ts';

/** The timeout for the shell of a new terminal to report its folder, in milliseconds. Some shells do not report it. */
const shellStartTimeoutMs = 3000;

/** The text for a terminal: one line, or a code block whose lines only work together. */
type TerminalInput = { readonly line: string } | { readonly script: string };

/**
 * Inserts commands of a reply at the prompt of a terminal. Nothing runs automatically: a single line is inserted
 * without a line break. The shell must be waiting for a command, because another program would read the text as keys.
 */
export class Terminals {
  /** Terminals whose shells reported that they wait for a command. */
  readonly #idle = new WeakSet<vscode.Terminal>();
  readonly #subscriptions = [
    vscode.window.onDidStartTerminalShellExecution(({ terminal }) => this.#idle.delete(terminal)),
    vscode.window.onDidEndTerminalShellExecution(({ terminal }) => this.#idle.add(terminal)),
  ];

  async insert(code: string, language: string): Promise<void> {
    const input = await this.#chooseInput(code, language);
    if (input === undefined) return;
    const terminal = this.#findTerminal();
    // The terminal must not take the focus from an open input.
    terminal.show(isInputOpen());
    await waitForPrompt(terminal);
    const line = 'line' in input ? input.line : writeScriptAsOneLine(input.script, terminal.state.shell);
    if (line !== undefined) terminal.sendText(line, false);
    else await notify('info', describeNotInserted());
  }

  dispose(): void {
    for (const subscription of this.#subscriptions) subscription.dispose();
  }

  async #chooseInput(code: string, language: string): Promise<TerminalInput | undefined> {
    const commands = extractCommands(code, language);
    const [only] = commands;
    if (only === undefined) {
      await notify('info', vscode.l10n.t('This block has no command that can be inserted into a terminal.'));
      return undefined;
    }
    if (commands.length === 1) return { line: only };
    const all = joinCommands(commands, language);
    const choices: readonly (Choice & { readonly input: TerminalInput })[] = commands.map((label) => ({
      label,
      input: { line: label },
    }));
    const together = vscode.l10n.t('All {0} commands, one after another', commands.length);
    const picked = await pick(
      all === undefined
        ? [createScriptChoice(extractScript(code, language)), ...choices]
        : [{ label: together, description: all, input: { line: all } }, ...choices],
      {
        title: vscode.l10n.t('Insert into Terminal'),
        placeHolder: vscode.l10n.t(
          'Choose the commands to insert into the terminal; they run only when you press Enter there',
        ),
      },
    );
    return picked?.input;
  }

  #findTerminal(): vscode.Terminal {
    const { activeTerminal } = vscode.window;
    const isReady = activeTerminal?.shellIntegration !== undefined && this.#idle.has(activeTerminal);
    return isReady ? activeTerminal : vscode.window.createTerminal();
  }
}

function createScriptChoice(script: string): Choice & { readonly input: TerminalInput } {
  const label = vscode.l10n.t('All lines together');
  return { label, description: vscode.l10n.t('written as one command'), input: { script } };
}

function describeNotInserted(): string {
  return vscode.l10n.t(
    'These lines were not inserted into the terminal because the shell would run each line immediately, or because they are too long. Copy the code instead.',
  );
}

/**
 * Waits until the shell reports its folder, which happens just before each prompt. A text that is inserted earlier is
 * shown twice: by the terminal and by the shell.
 */
async function waitForPrompt(terminal: vscode.Terminal): Promise<void> {
  if (terminal.shellIntegration?.cwd) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, shellStartTimeoutMs);
  const subscription = vscode.window.onDidChangeTerminalShellIntegration((event) => {
    if (event.terminal === terminal && event.shellIntegration.cwd) resolve();
  });
  await promise;
  clearTimeout(timer);
  subscription.dispose();
}
