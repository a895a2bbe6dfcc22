import { invalid } from '../errors.ts'
import { checkBranchName } from '../git/repository-name.ts'
import { checkFolder } from '../workspaces/configuration-files.ts'

/** What a pipeline of an application has beside its source and target. */
export type ApplicationSettings = {
  /** Null: the default branch of its Git connection. */
  appBranch: string | null
  /** The folder with `.cloud-control/`, that a build works in; empty is the top. */
  appPath: string
  triggerPush: boolean
  /** A push that changes none of these starts nothing. Without any, each push does. */
  triggerPaths: string[]
  triggerTags: string[]
  /** `once`: a release that was approved and healthy comes back without another approval. */
  rollbackApproval: 'always' | 'once'
  sbom: 'optional' | 'required'
  agentWaitMinutes: number
}

/** As a caller sends them. */
export type SentApplicationSettings = {
  appBranch?: string | null
  appPath?: string
  triggers?: { push?: boolean; paths?: string[]; tags?: string[] }
  rollbackApproval?: 'always' | 'once'
  sbom?: 'optional' | 'required'
  agentWaitMinutes?: number
}

export const applicationFields = [
  'appBranch',
  'appPath',
  'triggers',
  'rollbackApproval',
  'sbom',
  'agentWaitMinutes',
] as const satisfies ReadonlyArray<keyof SentApplicationSettings>

/** Of all patterns of a pipeline: a list shows the patterns of 200 pipelines. */
const maxPatternBytes = 8_192

type Patterns = Partial<Pick<ApplicationSettings, 'triggerPaths' | 'triggerTags'>>

/**
 * Refuses patterns that have more than `maxPatternBytes` together. A pipeline that had more `before` there was a limit
 * may lose some of them at a time.
 */
export function assertPatternsFit(patterns: Patterns, before: Patterns = {}): void {
  const bytes = bytesOf(patterns)
  if (bytes <= maxPatternBytes || bytes < bytesOf(before)) return
  const message = `has ${bytes} bytes of patterns together with the other; at most ${maxPatternBytes} fit`
  throw invalid(
    `The patterns of triggers.paths and triggers.tags have ${bytes} bytes together, and at most ${maxPatternBytes} are kept. Remove patterns, or replace several by one with a wildcard, as "src/**".`,
    ['triggers.paths', 'triggers.tags'].map((path) => ({ path, message })),
  )
}

const bytesOf = ({ triggerPaths = [], triggerTags = [] }: Patterns): number =>
  [...triggerPaths, ...triggerTags].reduce((sum, pattern) => sum + Buffer.byteLength(pattern), 0)

/** What was sent, by the names of the store, and nothing else. */
export function readApplicationSettings({
  appBranch,
  appPath,
  triggers,
  ...rest
}: SentApplicationSettings): Partial<ApplicationSettings> {
  const { rollbackApproval, sbom, agentWaitMinutes } = rest
  return {
    ...(appBranch !== undefined && {
      appBranch: appBranch === null ? null : checkBranchName(appBranch, 'appBranch'),
    }),
    ...(appPath !== undefined && { appPath: folderOf(appPath) }),
    ...(triggers?.push !== undefined && { triggerPush: triggers.push }),
    ...(triggers?.paths && { triggerPaths: globsOf('paths', triggers.paths) }),
    ...(triggers?.tags && { triggerTags: globsOf('tags', triggers.tags) }),
    ...(rollbackApproval && { rollbackApproval }),
    ...(sbom && { sbom }),
    ...(agentWaitMinutes !== undefined && { agentWaitMinutes }),
  }
}

/** Whether anything but a person starts its runs. */
export const hasTrigger = ({
  triggerPush,
  triggerTags,
}: Pick<ApplicationSettings, 'triggerPush' | 'triggerTags'>): boolean =>
  triggerPush || triggerTags.length > 0

function folderOf(path: string): string {
  const folder = path.replace(/^\.?\/+|\/+$/g, '').replace(/^\.$/, '')
  checkFolder(folder, 'appPath')
  return folder
}

/** Each once, in the order in which they were sent. */
function globsOf(field: 'paths' | 'tags', globs: readonly string[]): string[] {
  const bad = globs.find((glob) => glob.split('/').includes('..') || !glob.isWellFormed())
  if (bad !== undefined)
    throw invalid(`triggers.${field}: a pattern may not have "..".`, [
      { path: `triggers.${field}`, message: 'may not have ".."' },
    ])
  return [...new Set(globs)]
}
