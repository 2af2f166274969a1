/** The name by which editors know the file, and complete and check it. */
export const configFileName = 'model-gateway.json';

/** A configuration that names nothing yet. */
export const emptyConfig = `{
  // The places models come from. Keys do not belong here: VS Code keeps them in its secret storage.
  "upstreams": []
}
`;
