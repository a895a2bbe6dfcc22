/** One commit a version, with trailers that git's own tools read (`git log --format=%(trailers)`). */
export function hydrationMessage(hydration: {
  workspace: string
  number: number
  sha256: string
  /** The run that caused the write. */
  run: number | null
  written: number
  removed: number
}): string {
  const { workspace, number, sha256, run, written, removed } = hydration
  return [
    `${workspace}: configuration version ${number}`,
    '',
    `${written} written, ${removed} removed.`,
    '',
    ...(run === null ? [] : [`Run: ${run}`]),
    `Configuration-Version: ${number}`,
    `Configuration-Digest: sha256:${sha256}`,
  ].join('\n')
}
