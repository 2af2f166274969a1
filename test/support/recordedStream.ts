import * as vscode from 'vscode';

/** The output of a participant in VS Code's chat, one entry after another. */
export interface RecordedStream {
  readonly stream: vscode.ChatResponseStream;
  /** All Markdown, joined. */
  readonly markdown: string;
  readonly progress: readonly string[];
  readonly buttons: readonly vscode.Command[];
  readonly references: readonly string[];
}

/** Creates a stream of VS Code's chat that only records its output. */
export function createRecordedStream(): RecordedStream {
  const texts: string[] = [];
  const progress: string[] = [];
  const buttons: vscode.Command[] = [];
  const references: string[] = [];
  const getUri = (value: vscode.Uri | vscode.Location) =>
    value instanceof vscode.Location ? value.uri : value;
  const stream: vscode.ChatResponseStream = {
    markdown: (value) => void texts.push(typeof value === 'string' ? value : value.value),
    anchor: (value) => void references.push(`anchor ${getUri(value).path}`),
    button: (command) => void buttons.push(command),
    filetree: () => {},
    progress: (value) => void progress.push(value),
    reference: (value) => void references.push(getUri(value).path),
    push: () => {},
  };
  return {
    stream,
    progress,
    buttons,
    references,
    get markdown() {
      return texts.join('');
    },
  };
}
