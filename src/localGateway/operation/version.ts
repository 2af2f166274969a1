/** The version of the package, which a test compares with this. */
export const version = '0.1.0';
