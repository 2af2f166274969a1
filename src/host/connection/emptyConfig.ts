/** Editors recognize the configuration by this file name, to complete and check it. */
export const configFileName = 'model-gateway.json';

/** A configuration without upstreams. */
export const emptyConfig = `{
  // The upstreams that provide models. Do not put keys in this file: VS Code stores them in its secret storage.
  "upstreams": []
}
`;
