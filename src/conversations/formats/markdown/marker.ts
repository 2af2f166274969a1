import type { MessageRecord } from '../../conversation/record.ts';

/** The line of Markdown before a message, which no reader sees: whose it is, and when. */
export function markerOf({ role, createdAt }: Pick<MessageRecord, 'role' | 'createdAt'>): string {
  return `<!-- message ${role} ${new Date(createdAt).toISOString()} -->`;
}

const marker = /^<!-- message (user|assistant|system|tool) (\S+) -->\s*$/;
const likeMarker = /^(\\*)(?=<!-- message )/gm;

/** Whose message begins at a line, and when it was; undefined for any other line. */
export function readMarker(
  line: string,
): { readonly role: MessageRecord['role']; readonly time: string } | undefined {
  const [, role, time = ''] = marker.exec(line) ?? [];
  return role === undefined ? undefined : { role: role as MessageRecord['role'], time };
}

/** A text whose lines cannot be taken for markers. */
export function withoutMarkers(text: string): string {
  return text.replaceAll(likeMarker, '\\$1');
}

export function withMarkersAgain(text: string): string {
  return text.replaceAll(/^\\(?=\\*<!-- message )/gm, '');
}
