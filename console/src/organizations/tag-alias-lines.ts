type Aliases = Record<string, string[]>

/** `team = Team, resourceTags/team`: the key, and the other keys that are read as it; one key a line. */
export function readAliases(text: string): Aliases {
  const aliases = new Map<string, string[]>()
  for (const [at, row] of text.split(/\r\n|\r|\n/).entries()) {
    if (row.trim() === '') continue
    const [, key = '', others = ''] = /^\s*([^=]+?)\s*=\s*(.*?)\s*$/.exec(row) ?? []
    const names = others.split(',').flatMap((name) => name.trim() || [])
    if (key === '' || names.length === 0)
      throw new Error(
        `Line ${at + 1} of the other keys is not “key = other key, other key”. Write it as team = Team, resourceTags/team.`,
      )
    if (aliases.has(key))
      throw new Error(`The key ${key} is there twice. Put its other keys in one line.`)
    aliases.set(key, names)
  }
  return Object.fromEntries(aliases)
}

export const aliasLines = (aliases: Aliases): string =>
  Object.entries(aliases)
    .map(([key, others]) => `${key} = ${others.join(', ')}`)
    .join('\n')
