/** The version of the package. A test checks that they match. */
export const version = '0.1.0';
