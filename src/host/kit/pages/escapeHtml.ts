/** Escapes a text for HTML, including attributes. Titles and errors may contain any characters. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
