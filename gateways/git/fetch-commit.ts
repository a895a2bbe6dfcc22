import { AppError, conflict, unavailable } from '../../domain/errors.ts'
import { limitOfStep } from '../sandbox/limit-of-step.ts'
import type { Step, StepEnd, Workbench } from '../sandbox/workbench.ts'
import { readCommit, type CommitText } from './read-commit.ts'

/** The head of a branch, what a tag names, or a commit, wherever these point by now. */
export type Revision =
  | { branch: string; tag: null; commit: null }
  | { branch: null; tag: string; commit: null }
  | { branch: null; tag: null; commit: string }

export type CommitToFetch = Revision & {
  /** `owner/repository`, for people. */
  repository: string
  /** As the relay's environment rewrites it. */
  url: string
  /** Folder of the workbench that is made for the files. */
  folder: string
}

export type FetchWith = {
  /** Of the relay (`GitRelay.environment`). */
  env: Readonly<Record<string, string>>
  /** Why the relay refused, if it did. */
  refusal: () => string | undefined
  signal?: AbortSignal
  /** Told what git prints. */
  onLine?: (line: string) => void | Promise<void>
}

export type FetchedCommit = CommitText & {
  entries: number
  /** Of all files, without what git saves by packing them. */
  bytes: number
  /** Paths of submodules, which are not fetched, as git quotes them: at most 20. */
  submodules: string[]
  /** Files that are pointers to Git LFS, as git quotes them: at most 20. */
  pointers: string[]
}

/** The pack and the files of a commit leave room for its build, which has 10 GiB. */
const maxSourceEntries = 200_000
const maxSourceBytes = 4 * 1024 ** 3

/**
 * Fetches one commit into a folder of the workbench, by the system's git in the sandbox. Nothing that
 * the repository names is run: git reads no configuration that could name a hook or a filter, and no
 * submodule is fetched. Repeatable: the folder is made anew.
 */
export async function fetchCommit(
  bench: Workbench,
  wanted: CommitToFetch,
  given: FetchWith,
): Promise<FetchedCommit> {
  const run = runner(bench, wanted, given)
  const { stdout } = await run(fetch, { captureBytes: maxShownBytes }).catch(
    async (error: unknown) => {
      const isRefused = error instanceof AppError && error.code === unreachableCode
      if (isRefused && wanted.commit === null) await assertRef(run, wanted)
      throw error
    },
  )
  const { text: tree, rest: written } = untilNul(stdout)
  const counted = readCounts(tree)
  const { text: pointers, rest: commit } = untilNul(written)
  return { ...readCommit(commit), ...counted, pointers: linesOf(pointers) }
}

/**
 * One step in the sandbox, since each takes some 50 ms to begin and to end. A tree of a few kilobytes can name a
 * million files, so its entries and bytes are counted before a file is written, and past a limit none is. Lines that
 * are no entries count too, and git quotes what is no printable character, so no name can hide an entry. Prints the
 * counts, NUL, the names of pointers to Git LFS as git quotes them, NUL, and the commit, which may have any text.
 */
const fetch = `
rm -rf "$CC_FOLDER"
git -c init.defaultBranch=none init --quiet --template= "$CC_FOLDER"
cd "$CC_FOLDER"
git -c fetch.unpackLimit=1 -c gc.auto=0 -c maintenance.auto=false \
  fetch --quiet --depth 1 --no-tags --no-recurse-submodules "$CC_URL" "\${CC_COMMIT:-$CC_REF}"
git ls-tree -r -l --full-tree FETCH_HEAD | awk -v max_entries=${maxSourceEntries} -v max_bytes=${maxSourceBytes} '
  { entries += 1; bytes += $4; if (entries > max_entries || bytes > max_bytes) exit 3 }
  $1 == "160000" && submodules < 20 { submodules += 1; print "submodule " substr($0, index($0, "\\t") + 1) }
  END { printf "entries %.0f\\nbytes %.0f\\n", entries, bytes }' || { [ $? = 3 ] && exit; exit 1; }
printf '\\0'
git checkout --quiet --detach FETCH_HEAD
git ls-files -- ':(attr:filter=lfs)' | head -n 20
printf '\\0'
git log -1 --no-show-signature --encoding=UTF-8 --format='%H%n%ct%n%an <%ae>%n%B' FETCH_HEAD | head -c 16384`
const maxShownBytes = 1024 ** 2

function untilNul(bytes: Buffer): { text: Buffer; rest: Buffer } {
  const end = bytes.indexOf(0)
  return end < 0
    ? { text: bytes, rest: Buffer.alloc(0) }
    : { text: bytes.subarray(0, end), rest: bytes.subarray(end + 1) }
}

type Counts = Pick<FetchedCommit, 'entries' | 'bytes' | 'submodules'>

function readCounts(printed: Buffer): Counts {
  const counts: Counts = { entries: 0, bytes: 0, submodules: [] }
  for (const line of linesOf(printed)) {
    const [, kind, value = ''] = /^(\w+) (.*)$/.exec(line) ?? []
    if (kind === 'submodule') counts.submodules.push(value)
    else if (kind === 'entries' || kind === 'bytes') counts[kind] = Number(value)
  }
  if (counts.entries > maxSourceEntries)
    throw tooLarge(`more than ${maxSourceEntries.toLocaleString('en')} files`)
  if (counts.bytes > maxSourceBytes)
    throw tooLarge(`more than ${maxSourceBytes / 1024 ** 3} GiB of files`)
  return counts
}

const tooLarge = (what: string) =>
  conflict('source_too_large', `The commit has ${what}, which is more than is built.`)

const linesOf = (bytes: Buffer): string[] => bytes.toString().split('\n').filter(Boolean)

type Fault = (repository: string, why: string) => Error
type Run = (script: string, step: Pick<Step, 'captureBytes'>) => Promise<StepEnd>

/** The connection may work again, so how long it is tried is up to the retries of the activity. */
const unreachableCode = 'source_unreachable'
const unreachable: Fault = (repository, why) =>
  unavailable(unreachableCode, `${repository} could not be fetched: ${why}`)
const unwritable: Fault = (repository, why) =>
  conflict('source_unreadable', `The files of ${repository} cannot be written: ${why}`)

const limits: Step['limits'] = {
  timeoutMs: 30 * 60_000,
  silenceMs: 30 * 60_000,
  memoryBytes: 1024 ** 3,
  processes: 64,
  fileSizeBytes: maxSourceBytes,
}

function runner(bench: Workbench, wanted: CommitToFetch, given: FetchWith): Run {
  const env = {
    ...given.env,
    PATH: '/usr/bin:/bin',
    HOME: bench.inside('home'),
    LC_ALL: 'C',
    // A filter of the worker's or a user's configuration would be run on files of the repository.
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'http:https',
    CC_FOLDER: bench.inside(wanted.folder),
    CC_URL: wanted.url,
    CC_REF: refOf(wanted) ?? '',
    CC_COMMIT: wanted.commit ?? '',
  }
  return async (script, step) => {
    const end = await bench.run({
      program: 'sh',
      args: ['-ec', script],
      env,
      cwd: '',
      network: 'run',
      limits,
      ...(given.signal && { signal: given.signal }),
      onLine: async (_stream, line) => given.onLine?.(line),
      ...step,
    })
    if (end.how === 'exited' && end.exitCode === 0) return end
    const fault = end.stdout.includes(0) ? unwritable : unreachable
    throw limitFault(end, wanted) ?? fault(wanted.repository, given.refusal() ?? inWords(end))
  }
}

const inWords = ({ exitCode, signal, how }: StepEnd) =>
  `git ended with ${exitCode ?? signal ?? how}`

function limitFault(end: StepEnd, { repository }: CommitToFetch): Error | undefined {
  if (end.how === 'canceled') return unavailable('source_canceled', 'The fetch was ended.')
  const limit = limitOfStep(end)
  return limit === undefined
    ? undefined
    : conflict('source_too_large', `The repository ${repository} is too large: ${limit}.`)
}

function refOf({ branch, tag }: Revision): string | undefined {
  if (branch !== null) return `refs/heads/${branch}`
  return tag === null ? undefined : `refs/tags/${tag}`
}

/** git has one message for a branch that is gone, for an empty repository and for a wrong name. */
async function assertRef(run: Run, wanted: CommitToFetch): Promise<void> {
  const { repository, branch, tag } = wanted
  const named = tag === null ? `branch ${branch}` : `tag ${tag}`
  const list = await run('git ls-remote --quiet "$CC_URL" HEAD "$CC_REF"', {
    captureBytes: 64 * 1_024,
  })
  const names = linesOf(list.stdout).flatMap((line) => line.split('\t')[1] ?? [])
  if (names.includes(refOf(wanted) ?? '')) return
  throw names.length === 0
    ? conflict('source_empty', `The repository ${repository} is empty: it has no ${named}.`)
    : conflict('source_branch_gone', `The repository ${repository} has no ${named}.`)
}
