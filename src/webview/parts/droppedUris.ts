/** What pages link to. */
const link = /^(?:https?|mailto):/i;

/** The most files that are taken at once. */
const maxFiles = 32;

/** The addresses that VS Code's views and editors give to what is dragged from them. Links are none of them. */
export function droppedUris(data: DataTransfer): readonly string[] {
  const list = data.getData('application/vnd.code.uri-list') || data.getData('text/uri-list');
  return list
    .split(/\r?\n/)
    .filter((line) => line !== '' && !line.startsWith('#') && !link.test(line))
    .slice(0, maxFiles);
}
