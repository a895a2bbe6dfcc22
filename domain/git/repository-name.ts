import { invalid } from '../errors.ts'
import { isOnHost } from './host-address.ts'
import type { GitProduct } from './providers.ts'

type RepositoryField =
  | 'repo'
  | 'defaultRepo'
  | 'repoUrl'
  | 'appRepo'
  | 'source.repo'
  | 'source.repoUrl'

/**
 * `owner/repository` from what people paste: the bare name, an https or ssh address, with or without
 * `.git`. The repository is identified by the provider's own id, never by this text.
 */
export function repositoryName(
  input: string,
  { product, host, field }: { product: GitProduct; host: string; field: RepositoryField },
): string {
  const fail = (what: string) => invalid(`${field}: ${what}.`, [{ path: field, message: what }])
  const text = input.trim()
  let path = text
  const scp = /^(?:[^@/\s]+@)([^:/\s]+):(?!\/\/)(.+)$/.exec(text)
  if (scp) {
    if (!isOnHost(scp[1] ?? '', host)) throw fail(`is not on ${host}`)
    path = scp[2] ?? ''
  } else if (/^[a-z+]+:\/\//i.test(text)) {
    const url = URL.parse(text)
    if (!url || !['https:', 'http:', 'ssh:', 'git+ssh:'].includes(url.protocol))
      throw fail('is neither an https nor an ssh address')
    if (url.password) throw fail('must not carry a password')
    if (!isOnHost(url.hostname, host)) throw fail(`is not on ${host}`)
    path = decoded(url.pathname) ?? ''
  }
  const segments = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/i, '')
    .split('/')
  const name = product === 'bitbucket-data-center' ? dataCenterSegments(segments) : segments
  const depth = product === 'gitlab' ? name.length >= 2 && name.length <= 21 : name.length === 2
  if (!depth || !name.every(isSegment))
    throw fail(
      product === 'gitlab' ? 'has the form group/project' : 'has the form owner/repository',
    )
  return name.join('/')
}

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

/** `/scm/KEY/slug`, `/projects/KEY/repos/slug` and `/users/name/repos/slug` are addresses of Data Center. */
function dataCenterSegments(segments: string[]): string[] {
  const [first = '', key = '', repos = '', slug = ''] = segments
  if (first === 'scm' && segments.length === 3) return [key, repos]
  if (first === 'projects' && repos === 'repos') return [key, slug]
  if (first === 'users' && repos === 'repos') return [`~${key}`, slug]
  return segments
}

const isSegment = (segment: string) =>
  /^~?[\w.-]{1,255}$/.test(segment) && segment !== '.' && segment !== '..'

/**
 * The branch names of `git check-ref-format` that providers' addresses support. Full ref names are
 * shortened: `refs/heads/main` beside `main` would be two claims on one branch.
 */
export function checkBranchName(input: string, field = 'branch'): string {
  const branch = input.replace(/^refs\/heads\//, '')
  return checkRefName(branch, { field, kind: 'branch' })
}

/** As of branches: what git refuses in the name of one, it refuses in the name of a tag. */
export function checkTagName(input: string, field = 'tag'): string {
  const tag = input.replace(/^refs\/tags\//, '')
  return checkRefName(tag, { field, kind: 'tag' })
}

function checkRefName(
  name: string,
  { field, kind }: { field: string; kind: 'branch' | 'tag' },
): string {
  const bad =
    // oxlint-disable-next-line no-control-regex -- control characters are what this looks for
    /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|^refs\/|[/.]$|\.lock(\/|$)|\/\./.test(name)
  if (bad || name === '@' || name === 'HEAD' || Buffer.byteLength(name) > 244)
    throw invalid(`${field}: is not the name of a ${kind}.`, [
      { path: field, message: `is not the name of a ${kind}` },
    ])
  return name
}
