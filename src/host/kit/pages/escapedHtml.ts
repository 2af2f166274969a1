/** A text as HTML, also within an attribute. Titles and errors may hold anything. */
export function escapedHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
