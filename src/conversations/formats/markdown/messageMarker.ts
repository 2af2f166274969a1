import type { MessageRecord } from '../../conversation/conversationRecord.ts';

/** The Markdown comment before a message, which is not rendered: its role and time. */
export function markerOf({ role, createdAt }: Pick<MessageRecord, 'role' | 'createdAt'>): string {
  return `<!-- message ${role} ${new Date(createdAt).toISOString()} -->`;
}

const marker = /^<!-- message (user|assistant|system|tool) (\S+) -->\s*$/;
const likeMarker = /^(\\*)(?=<!-- message )/gm;

/** Reads the role and time of a message from its marker line; undefined for any other line. */
export function readMarker(
  line: string,
): { readonly role: MessageRecord['role']; readonly time: string } | undefined {
  const [, role, time = ''] = marker.exec(line) ?? [];
  return role === undefined ? undefined : { role: role as MessageRecord['role'], time };
}

/** Escapes lines that look like markers. */
export function escapeMarkers(text: string): string {
  return text.replaceAll(likeMarker, '\\$1');
}

export function restoreMarkers(text: string): string {
  return text.replaceAll(/^\\(?=\\*<!-- message )/gm, '');
}
