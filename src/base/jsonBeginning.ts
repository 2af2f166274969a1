/** How far a text is looked at, in UTF-16 units: models write little white space before JSON. */
const looked = 1000;

const object = /^\s*\{\s*["}]/;
const array = /^\s*\[\s*(?:[\]["{\d-]|true\b|false\b|null\b)/;
const open = /^\s*(?:[{[]\s*|\[\s*[a-z]{1,4})?$/;

/** Whether a text begins as a JSON object or array does; undefined while more of it has to arrive. */
export function beginsAsJson(text: string): boolean | undefined {
  const beginning = text.slice(0, looked);
  if (object.test(beginning) || array.test(beginning)) return true;
  return beginning.length < looked && open.test(beginning) ? undefined : false;
}
