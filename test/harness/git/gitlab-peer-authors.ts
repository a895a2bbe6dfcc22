import type { PeerAnswer } from './peer-server.ts'
import type { PeerProject, PeerProjects } from './peer-projects.ts'
import type * as published from './gitlab-published-types.ts'

const notFound = (what: string): PeerAnswer => ({
  status: 404,
  json: { message: `404 ${what} Not Found` },
})

/** GitLab's answer for a commit's signature. An unsigned commit has no signature page. */
export function signature(store: PeerProjects, commit: string): PeerAnswer {
  if (!store.signed.has(commit)) return notFound('Signature')
  const told: published.Signature = {
    gpg_key_id: 1,
    gpg_key_primary_keyid: '8254AAB3FBD54AC9',
    gpg_key_user_name: 'peer',
    gpg_key_user_email: 'peer@example.com',
    verification_status: 'verified',
  }
  return { status: 200, json: { signature_type: 'PGP', ...told } }
}

/** The pushes to a project, newest first. */
export function events(project: PeerProject, url: URL): PeerAnswer {
  if (url.searchParams.get('action') !== 'pushed') return { status: 200, json: [] }
  const told = project.pushes.map(
    ({ branch, before, after, account }, index): published.PushEvent => ({
      id: project.pushes.length - index,
      project_id: project.id,
      action_name: 'pushed to',
      author_id: account,
      author_username: `user-${account}`,
      push_data: {
        commit_count: 1,
        action: 'pushed',
        ref_type: 'branch',
        commit_from: before,
        commit_to: after,
        ref: branch,
        commit_title: 'a commit',
      },
    }),
  )
  return { status: 200, json: told }
}

export function showUser(store: PeerProjects, id: number): PeerAnswer {
  const account = store.accounts.find((known) => known.id === id)
  if (!account) return notFound('User')
  return { status: 200, json: { id, username: `user-${id}`, public_email: account.email ?? '' } }
}
