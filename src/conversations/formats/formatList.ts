import type { JsonObject } from '../../base/json.ts';
import { chatGpt } from './chatGpt/chatGpt.ts';
import { claude } from './claude/claude.ts';
import { libreChat } from './libreChat/libreChat.ts';
import { openWebUi } from './openWebUi/openWebUi.ts';
import type { JsonFormat } from './reading/conversationDraft.ts';
import { shareGpt } from './shareGpt.ts';
import { vscodeChat } from './vscodeChat/vscodeChat.ts';

/** The formats of other programs that are JSON. No object is of two of them. */
const jsonFormats: readonly JsonFormat[] = [chatGpt, claude, openWebUi, libreChat, vscodeChat, shareGpt];

/** The format of a conversation, by what is in it. */
export function formatOf(object: JsonObject): JsonFormat | undefined {
  return jsonFormats.find((format) => format.recognizes(object));
}
