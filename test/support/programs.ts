import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { clientPrograms } from '../../src/host/gateway/local/clientSettings.ts';

type SettingsTarget = Parameters<(typeof clientPrograms)[number]['settings']>[0];

/** A command-line program, set up only with the settings that the extension copies for it. */
export interface Program {
  readonly name: string;
  /** The call of the program's tool for reading a file, as a model writes it. */
  readonly createReadCall: (file: string) => { readonly name: string; readonly arguments: object };
  /** Sends a question to the model, in a folder with one file, and allows every tool call. */
  runQuestion(question: string, target: SettingsTarget): Promise<ProgramRun>;
}

export interface ProgramRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The only file in the folder that a program works in. */
export const note = { name: 'note.txt', content: 'The password of this test is marmalade.' };

const installed = 'test/programs/node_modules';

export const geminiCli: Program = {
  name: 'Gemini CLI',
  createReadCall: (file) => ({ name: 'read_file', arguments: { file_path: file } }),
  async runQuestion(question, target) {
    const text = readSettings('gemini-cli', target);
    // The comment names a file and its required content.
    const [, file = '', json = ''] = /~\/(\S+\.json)\D*?(\{.*\})/s.exec(text) ?? [];
    return runInFolder(async (home, work) => {
      writeTextFile(join(home, file), json);
      const program = `gemini() { "$NODE" "$PROGRAM" --skip-trust --approval-mode yolo -p "$QUESTION"; }`;
      const bin = join(process.cwd(), installed, '@google/gemini-cli/bundle/gemini.js');
      return runScript(`${program}\n${text}`, { home, work, env: { PROGRAM: bin, QUESTION: question } });
    });
  },
};

export const codex: Program = {
  name: 'Codex',
  createReadCall: (file) => ({ name: 'exec_command', arguments: { cmd: `cat ${file}` } }),
  async runQuestion(question, target) {
    const text = readSettings('codex', target);
    const [, exported = ''] = /# In the terminal, before Codex: (.*)/.exec(text) ?? [];
    return runInFolder(async (home, work) => {
      writeTextFile(join(home, '.codex/config.toml'), text);
      const flags = '--skip-git-repo-check --dangerously-bypass-approvals-and-sandbox';
      const bin = join(process.cwd(), installed, '@openai/codex/bin/codex.js');
      return runScript(`${exported}\nexec "$NODE" "$PROGRAM" exec ${flags} "$QUESTION"`, {
        home,
        work,
        env: { PROGRAM: bin, QUESTION: question },
      });
    });
  },
};

function readSettings(id: string, target: SettingsTarget): string {
  const program = clientPrograms.find((each) => each.id === id);
  if (!program) throw new Error(`no settings for ${id}`);
  return program.settings(target);
}

async function runInFolder(work: (home: string, work: string) => Promise<ProgramRun>): Promise<ProgramRun> {
  const folder = mkdtempSync(join(tmpdir(), 'program-of-test-'));
  const [home, workspace] = [join(folder, 'home'), join(folder, 'work')];
  try {
    writeTextFile(join(workspace, note.name), note.content);
    mkdirSync(home);
    return await work(home, workspace);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function writeTextFile(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

interface Shell {
  readonly home: string;
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs a script in a shell without the settings of this machine's user. */
async function runScript(script: string, { home, work, env }: Shell): Promise<ProgramRun> {
  const child = spawn('sh', ['-c', script], {
    cwd: work,
    env: { PATH: process.env.PATH, HOME: home, NODE: process.execPath, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  const [code] = await once(child, 'close');
  return { code: code as number | null, ...output };
}
