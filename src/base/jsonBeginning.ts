/** The length of the checked beginning, in UTF-16 units: models write little white space before JSON. */
const maxChecked = 1000;

const object = /^\s*\{\s*["}]/;
const array = /^\s*\[\s*(?:[\]["{\d-]|true\b|false\b|null\b)/;
const open = /^\s*(?:[{[]\s*|\[\s*[a-z]{1,4})?$/;

/** Whether a text begins like a JSON object or array; undefined if more of it must arrive first. */
export function beginsAsJson(text: string): boolean | undefined {
  const beginning = text.slice(0, maxChecked);
  if (object.test(beginning) || array.test(beginning)) return true;
  return beginning.length < maxChecked && open.test(beginning) ? undefined : false;
}
