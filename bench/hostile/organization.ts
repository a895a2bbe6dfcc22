import { randomBytes } from 'node:crypto'
import { signIn, type CallApi } from '../call-api.ts'
import type { Platform } from '../start-platform.ts'

export type BenchOrganization = {
  slug: string
  call: CallApi
  cookie: () => string
  credentials: { email: string; password: string }
}

/** Creates an organization and signs its Owner in, as a platform administrator does. */
export async function makeOrganization(
  platform: Platform,
  slug: string,
): Promise<BenchOrganization> {
  const email = `owner@${slug}.example`
  const password = randomBytes(15).toString('base64url')
  const { body } = await platform.call('POST', '/admin/organizations', {
    name: slug,
    slug,
    owner: { email, name: 'Owner' },
  })
  const address = platform.address.replace(/\/api$/, '')
  // Uses another client than the administrator's, because the answer signs the client in as the new
  // Owner.
  const accepted = await fetch(`${platform.address}/auth/invitations/accept`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify({ token: body['invitationToken'], password }),
  })
  if (!accepted.ok) throw new Error(`the invitation was not accepted: ${accepted.status}`)
  const credentials = { email, password }
  return { slug, credentials, ...(await signIn(address, credentials)) }
}

/** Creates a standard workspace with these files and returns its id. */
export async function makeWorkspaceOf(
  { call }: BenchOrganization,
  name: string,
  files: Readonly<Record<string, string>>,
): Promise<number> {
  const { body } = await call('POST', '/workspaces', { name, criticality: 'standard' })
  const { id } = body['workspace'] as { id: number }
  await call('PUT', `/workspaces/${id}/configuration`, { files })
  return id
}
