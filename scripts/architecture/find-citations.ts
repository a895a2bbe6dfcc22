import { posix } from 'node:path'

export type Place = {
  /** Of the file with the text, from the root of the repository. */
  file: string
  /** All files of the repository. */
  files: ReadonlySet<string>
  /** The text of one of them. */
  read: (file: string) => string
}

/** What a text cites that a reader of this repository cannot look up. */
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

/** The comments of a source file, SQL's among them. Strings are data and may name any file. */
function commentsOf(text: string): string {
  const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)(?:\/\/|#|--)\s.*$/gm
  return [...text.matchAll(comments)].map(([comment]) => comment).join('\n')
}

/** A cited page is in the repository: from its root, beside the file that cites it, or in docs/. */
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

/** Of a customer's repository, which the hydrate writes. */
const isElsewhere = (name: string) => name === 'workspaces/README.md'

function badDecisions(prose: string, { files }: Place): string[] {
  const cited = prose.match(/docs\/decisions\/\d{4}/g) ?? []
  return cited
    .filter((start) => ![...files].some((file) => file.startsWith(`${start}-`)))
    .map((start) => `${start} is not in the repository`)
}

/** `docs/runs.md, "Digest"` names a heading of that page. */
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

/** Relative links of a page lead to a file, and its anchor to a heading. */
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

/** As GitHub makes them. */
const anchors = (page: string): Set<string> =>
  new Set(
    [...page.matchAll(/^#+ (.+?)\s*$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  )

/** A section is of an RFC or another public standard, which the words before it name. */
function sections(joined: string): string[] {
  const standard = /\b(?:RFC \d+|SAML [a-z]+|FOCUS [\d.]+|OpenAPI [\d.]+|CSS|HTML|ECMA-\d+),? $/
  const marks = [...joined.matchAll(/§+ ?[\w.]+/g)].filter(
    ({ index }) => !standard.test(joined.slice(0, index)),
  )
  // "contract 4.1", "decisions 5a", "design 3": a part of a document that is not here.
  const parts = joined.match(
    /\b(?:contract|decisions?|designs?|interface)\s+\d{1,2}(?:\.\d+)*[a-z]?\b/gi,
  )
  return [...marks.map(([mark]) => mark), ...(parts ?? [])].map(
    (mark) => `"${mark}" is of no document in the repository and of no standard`,
  )
}
