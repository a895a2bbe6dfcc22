import { starters } from './starters.ts'

/** A commit had no manifest: where it belongs, and the language that its files show. */
export type MissingManifest = { path: string; language: string }

/** With a manifest to begin with. Null for a language of a version that had other ones. */
export function starterOf({
  path,
  language,
}: MissingManifest): { starter: { path: string; yaml: string } } | null {
  const found = starters.find((starter) => starter.language === language)
  return found ? { starter: { path, yaml: found.yaml } } : null
}
