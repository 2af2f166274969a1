import type { MessageRecord } from '../../conversation/conversationRecord.ts';

/** Writes the Markdown comment before a message, which is not rendered: its role and time. */
export function createMarker({ role, createdAt }: Pick<MessageRecord, 'role' | 'createdAt'>): string {
  return `<!-- message ${role} ${new Date(createdAt).toISOString()} -->`;
}

const markerPattern = /^<!-- message (user|assistant|system|tool) (\S+) -->\s*$/;
const markerLikePattern = /^(\\*)(?=<!-- message )/gm;

/** Reads the role and time of a message from its marker line; undefined for any other line. */
export function readMarker(
  line: string,
): { readonly role: MessageRecord['role']; readonly time: string } | undefined {
  const [, role, time = ''] = markerPattern.exec(line) ?? [];
  return role === undefined ? undefined : { role: role as MessageRecord['role'], time };
}

/** Escapes lines that look like markers. */
export function escapeMarkers(text: string): string {
  return text.replaceAll(markerLikePattern, '\\$1');
}

/** Undoes `escapeMarkers`. */
export function restoreMarkers(text: string): string {
  return text.replaceAll(/^\\(?=\\*<!-- message )/gm, '');
}
