/** A repository that a module's source names, as the Git relay knows it. */
export type ModuleSource = {
  /** With the port, where it is not the scheme's own. */
  host: string
  /** `owner/repository`, without `.git`. */
  repository: string
  /** A branch, tag or commit. Undefined: the default branch. `anyRef`: only OpenTofu knows it. */
  ref: string | undefined
}

/** A ref that is computed by OpenTofu. */
export const anyRef = '*'

export const isCommit = (ref: string): boolean => /^[0-9a-f]{7,64}$/i.test(ref)

const maxSources = 2_000

/**
 * The Git repositories that the module sources in these texts name. Every text after a `source` counts,
 * also in comments: that is how a configuration names a repository that only a registry's module leads
 * to. A text that OpenTofu computes (`${…}`) names nothing, except in its `ref`.
 */
export function moduleSources(texts: Iterable<string>): ModuleSource[] {
  const found = new Map<string, ModuleSource>()
  for (const text of texts)
    for (const quoted of quotedSources(text)) {
      const source = parseSource(quoted)
      if (source) found.set(JSON.stringify(source), source)
      if (found.size >= maxSources) return [...found.values()]
    }
  return [...found.values()]
}

/** HCL's `source = "…"` and JSON's `"source": "…"`, up to the text. */
const beforeText = /\bsource"?[ \t]{0,64}[=:][ \t]{0,64}"/g
const maxLength = 1_024

/** Reads each character at most twice, so that no configuration can keep the worker busy. */
function* quotedSources(text: string): Generator<string> {
  const pattern = new RegExp(beforeText)
  while (pattern.exec(text)) {
    let quoted = ''
    let at = pattern.lastIndex
    for (; at < text.length && quoted.length < maxLength; at += 1) {
      const character = text[at] ?? ''
      if (character === '"' || character === '\n') break
      if (character === '\\') at += 1
      quoted += text[at] ?? ''
    }
    if (text[at] === '"') yield quoted
    pattern.lastIndex = at
  }
}

/** One source in the forms of https://opentofu.org/docs/language/modules/sources/ that lead to Git. */
export function parseSource(text: string): ModuleSource | undefined {
  const [address = '', query = ''] = text.replace(/^git::/, '').split('?', 2)
  const place = placeOf(address, text.startsWith('git::'))
  if (!place || address.includes('${') || address.includes('%{')) return undefined
  return { ...place, ref: refOf(query) }
}

function placeOf(address: string, isGit: boolean): Omit<ModuleSource, 'ref'> | undefined {
  const url = /^(https?|ssh):\/\/(?:[^@/]{0,256}@)?([^/]{1,260})\/(.*)$/i.exec(address)
  if (url && (isGit || url[1] === 'ssh'))
    return named({ scheme: url[1] ?? '', host: url[2] ?? '', path: url[3] ?? '' })
  const scp = /^[\w.-]{1,64}@([\w.-]{1,255}):(.*)$/.exec(address)
  if (scp) return named({ scheme: 'ssh', host: scp[1] ?? '', path: scp[2] ?? '' })
  const short = /^(github\.com|gitlab\.com|bitbucket\.org)\/([^/]+\/[^/]+)/.exec(address)
  return short ? named({ scheme: 'https', host: short[1] ?? '', path: short[2] ?? '' }) : undefined
}

function named(at: { scheme: string; host: string; path: string }) {
  const scheme = at.scheme.toLowerCase()
  // What follows `//` is a folder in the repository.
  const repository = (at.path.split('//', 1)[0] ?? '').replace(/\/$/, '').replace(/\.git$/, '')
  if (repository === '') return undefined
  const port = /:(\d{1,5})$/.exec(at.host)?.[1]
  const name = at.host.toLowerCase().replace(/:\d{1,5}$/, '')
  // The relay handles ssh addresses by the host's name alone.
  const isOwnPort = scheme === 'ssh' || port === (scheme === 'https' ? '443' : '80')
  return { host: port === undefined || isOwnPort ? name : `${name}:${port}`, repository }
}

function refOf(query: string): string | undefined {
  const ref = /(?:^|&)ref=([^&]*)/.exec(query)?.[1]
  if (ref === undefined || ref === '') return undefined
  if (/[$%]\{/.test(ref)) return anyRef
  try {
    return decodeURIComponent(ref)
  } catch {
    return anyRef
  }
}
