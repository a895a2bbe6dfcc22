import type { Body } from '../api/call.ts'
import type { GitConnection, Workspace } from '../api/types.ts'
import { textIn } from '../parts/forms.tsx'

type GitSource = Pick<Body<'updateWorkspace'>, 'source' | 'gitConnectionId' | 'path' | 'autoApply'>
type Was = Pick<Workspace, 'source' | 'gitConnectionId' | 'path' | 'autoApply'>

/**
 * What the fields of git-source-fields.tsx say. A field that is disabled is not in the form: it needs
 * a higher role, and the workspace keeps its value. So does one that is not drawn yet.
 */
export function gitSourceIn(form: FormData): GitSource {
  const [repo, branch] = [textIn(form, 'repo').trim(), textIn(form, 'branch').trim()]
  const include = foldersIn(textIn(form, 'include'))
  return {
    source: {
      kind: 'git',
      ...(repo && { repo }),
      ...(branch && { branch }),
      ...(include.length > 0 && { include }),
    },
    ...(form.has('path') && { path: folderIn(textIn(form, 'path')) }),
    ...(form.has('gitConnectionId') && {
      gitConnectionId: Number(textIn(form, 'gitConnectionId')),
    }),
    ...(form.has('push') && { autoApply: textIn(form, 'push') === 'apply' }),
  }
}

/**
 * What the fields change of the source that they show, and no more: a save does not revert a change by another
 * person. `now`: the source as it is stored, whose parts that were not changed are sent with those that were,
 * because the service replaces them at once.
 */
export function sourceChange(typed: GitSource, was: Was, now: Was = was): GitSource {
  const source = typed.source && changedSource(typed.source, was.source, now.source)
  const { path, autoApply, gitConnectionId } = typed
  return {
    ...(source && { source }),
    ...(path !== undefined && path !== was.path && { path }),
    ...(gitConnectionId !== undefined &&
      gitConnectionId !== was.gitConnectionId && { gitConnectionId }),
    ...(autoApply !== undefined && autoApply !== was.autoApply && { autoApply }),
  }
}

function changedSource(
  typed: NonNullable<GitSource['source']>,
  was: Was['source'],
  now: Was['source'],
): GitSource['source'] {
  const [mine, before, theirs] = [partsOf(typed), partsOf(was), partsOf(now)]
  if (isSame(mine, before)) return undefined
  if ([mine, before, theirs].some(({ kind }) => kind === 'inline')) return typed
  const repo = isSame(mine.repo, before.repo) ? theirs.repo : mine.repo
  const branch = isSame(mine.branch, before.branch) ? theirs.branch : mine.branch
  const include = isSame(mine.include, before.include) ? theirs.include : mine.include
  return {
    kind: 'git',
    ...(repo && { repo }),
    ...(branch && { branch }),
    ...(include.length > 0 && { include }),
  }
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/** The values of the fields. */
const partsOf = ({ kind, repo = '', branch = '', include = [] }: Was['source']) => ({
  kind,
  repo,
  branch,
  include,
})

/** The values of the tab, as a text. */
export const sourceText = ({ source, path, gitConnectionId, autoApply }: Was): string =>
  JSON.stringify([partsOf(source), path, gitConnectionId, autoApply])

type Typed = Pick<GitConnection, 'repoType'>

/**
 * Files of the console are committed to the connection of the workspace, so one that is for
 * applications does not stay.
 */
export const inlineSource = (connection: Typed | undefined): GitSource => ({
  source: { kind: 'inline' },
  ...(connection?.repoType === 'application' && { gitConnectionId: null }),
})

/** The connection that is offered first: one for infrastructure, if there is one. */
export const firstOf = <T extends Typed>(connections: readonly T[]): T | undefined =>
  connections.find(({ repoType }) => repoType === 'infra') ?? connections[0]

/** People write `/live/network/`; the API wants `live/network`. */
const folderIn = (typed: string): string => typed.trim().replaceAll(/^(\.?\/)+|\/+$/g, '')

const foldersIn = (typed: string): string[] =>
  typed
    .split(/[,\n]/)
    .map(folderIn)
    .filter((folder) => folder !== '')
