import * as vscode from 'vscode';

/** How much of the conversation goes along: turns, and UTF-16 units of all of them. */
const maxTurns = 20;
const maxLength = 60_000;

/** The conversation so far as messages, its end where it is long. */
export function earlierMessages(
  history: vscode.ChatContext['history'],
): readonly vscode.LanguageModelChatMessage[] {
  const { User, Assistant } = vscode.LanguageModelChatMessage;
  const taken: vscode.LanguageModelChatMessage[] = [];
  let left = maxLength;
  for (const turn of history.slice(-maxTurns).reverse()) {
    const isQuestion = turn instanceof vscode.ChatRequestTurn;
    const text = isQuestion ? questionOf(turn) : replyOf(turn);
    left -= text.length;
    if (left < 0) break;
    if (text.trim() !== '') taken.unshift(isQuestion ? User(text) : Assistant(text));
  }
  return taken;
}

function questionOf({ prompt, command }: vscode.ChatRequestTurn): string {
  return [command && `/${command}`, prompt].filter(Boolean).join(' ');
}

function replyOf({ response }: vscode.ChatResponseTurn): string {
  return response
    .map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : ''))
    .join('');
}
