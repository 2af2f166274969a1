/** The length of the checked beginning, in UTF-16 units: models write little white space before JSON. */
const maxChecked = 1000;

const objectStart = /^\s*\{\s*["}]/;
const arrayStart = /^\s*\[\s*(?:[\]["{\d-]|true\b|false\b|null\b)/;
const undecidedStart = /^\s*(?:[{[]\s*|\[\s*[a-z]{1,4})?$/;

/** Checks whether a text begins like a JSON object or array; undefined if more of it must arrive first. */
export function beginsAsJson(text: string): boolean | undefined {
  const beginning = text.slice(0, maxChecked);
  if (objectStart.test(beginning) || arrayStart.test(beginning)) return true;
  return beginning.length < maxChecked && undecidedStart.test(beginning) ? undefined : false;
}
