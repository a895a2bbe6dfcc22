import { posix } from 'node:path'

export type Place = {
  /** The path of the file, from the root of the repository. */
  file: string
  /** The paths of all files of the repository. */
  files: ReadonlySet<string>
  /** Reads one of the files. */
  read: (file: string) => string
}

/** Citations of a text that a reader cannot look up in the repository or in a public standard. */
export function findBadCitations(text: string, place: Place): string[] {
  const prose = place.file.endsWith('.md') ? text : commentsOf(text)
  const joined = prose.replaceAll(/\n\s*(?:\*|\/\/|--)?\s*/g, ' ')
  return [
    ...badFiles(prose, place),
    ...badDecisions(prose, place),
    ...badHeadings(joined, place),
    ...(place.file.endsWith('.md') ? badLinks(text, place) : []),
    ...sections(joined),
  ]
}

/** The comments of a source file, including SQL comments. Strings are data and may name any file. */
function commentsOf(text: string): string {
  const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)(?:\/\/|#|--)\s.*$/gm
  return [...text.matchAll(comments)].map(([comment]) => comment).join('\n')
}

/** Cited pages that do not exist: from the root, beside the citing file, in docs/ or in docs/decisions/. */
function badFiles(prose: string, { file, files }: Place): string[] {
  const cited = prose.match(/[\w./-]*[\w-]\.md\b/g) ?? []
  return cited
    .filter((name) => !isElsewhere(name))
    .filter((name) => {
      const beside = posix.join(posix.dirname(file), name)
      return ![name, beside, `docs/${name}`, `docs/decisions/${name}`].some((one) => files.has(one))
    })
    .map((name) => `${name} is not in the repository`)
}

/** A page that the service writes into customers' repositories. */
const isElsewhere = (name: string) => name === 'workspaces/README.md'

function badDecisions(prose: string, { files }: Place): string[] {
  const cited = prose.match(/docs\/decisions\/\d{4}/g) ?? []
  return cited
    .filter((start) => ![...files].some((file) => file.startsWith(`${start}-`)))
    .map((start) => `${start} is not in the repository`)
}

/** Citations such as `docs/runs.md, "Digest"` whose page has no such heading. */
function badHeadings(joined: string, { files, read }: Place): string[] {
  const cited = [...joined.matchAll(/(docs\/[\w/-]+\.md),\s+"([^"]+)"/g)]
  return cited
    .filter(([, page = '', heading = '']) => files.has(page) && !headings(read(page)).has(heading))
    .map(([, page, heading]) => `${page} has no heading "${heading}"`)
}

const headings = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (.+?)\s*$/gm)].map(([, heading = '']) => heading.split(':')[0] ?? ''),
  )

/** Relative links of a page without a target file, and anchors without a heading. */
function badLinks(text: string, { file, files, read }: Place): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return targets.flatMap((target) => {
    if (/^[a-z]+:/.test(target)) return []
    const [path = '', anchor] = target.split('#')
    const page = path === '' ? file : posix.join(posix.dirname(file), path).replace(/\/$/, '')
    const isFolder = [...files].some((one) => one.startsWith(`${page}/`))
    if (!files.has(page) && !isFolder) return [`the link ${target} leads nowhere`]
    if (anchor === undefined || anchors(read(page)).has(anchor)) return []
    return [`the link ${target} names no heading`]
  })
}

/** The anchors that GitHub derives from headings. */
const anchors = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (.+?)\s*$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

/** Section numbers that do not directly follow the name of an RFC or another public standard. */
function sections(joined: string): string[] {
  const standard = /\b(?:RFC \d+|SAML [a-z]+|FOCUS [\d.]+|OpenAPI [\d.]+|CSS|HTML|ECMA-\d+),? $/
  const marks = [...joined.matchAll(/§+ ?[\w.]+/g)].filter(
    ({ index }) => !standard.test(joined.slice(0, index)),
  )
  // "contract 4.1", "decisions 5a", "design 3": sections of documents outside the repository.
  const parts = joined.match(
    /\b(?:contract|decisions?|designs?|interface)\s+\d{1,2}(?:\.\d+)*[a-z]?\b/gi,
  )
  return [...marks.map(([mark]) => mark), ...(parts ?? [])].map(
    (mark) => `"${mark}" cites neither a file of the repository nor a public standard`,
  )
}
