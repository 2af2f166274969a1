/** The project's folder, as a URL that ends in a slash. */
export const root = new URL('../', import.meta.url);
