/**
 * SQL: whether agent `a` has the labels that a deployment is for. A deployment from before migration 0160 has none
 * stored, and chose its hosts by its manifest.
 */
export const fitsLabels = (deployment: string): string =>
  `(${deployment}.labels is null or a.labels @> ${deployment}.labels)`
