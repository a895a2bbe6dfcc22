import type { Body } from '../api/call.ts'
import type { GitConnection } from '../api/types.ts'
import { textIn } from '../parts/forms.tsx'

type GitSource = Pick<Body<'updateWorkspace'>, 'source' | 'gitConnectionId' | 'path' | 'autoApply'>

/**
 * What the fields of git-source-fields.tsx say. A field that is disabled is not in the form: it needs
 * a higher role, and the workspace keeps its value.
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
    path: folderIn(textIn(form, 'path')),
    ...(form.has('gitConnectionId') && {
      gitConnectionId: Number(textIn(form, 'gitConnectionId')),
    }),
    ...(form.has('push') && { autoApply: textIn(form, 'push') === 'apply' }),
  }
}

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
