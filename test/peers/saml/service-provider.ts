import { unwrap } from '../../../store/driver/tenant.ts'
import { expect } from 'vitest'
import type { Harness } from '../../harness/create-harness.ts'
import type { TestOrganization } from '../../harness/test-organization.ts'
import type { TestUser } from '../../harness/test-user.ts'
import type { Page, WebBrowser } from './web-browser.ts'

export type ServiceProvider = {
  org: TestOrganization
  owner: TestUser
  /** Our own metadata, as an administrator of the peer would import it. */
  metadata(): Promise<string>
  save(fields: Record<string, unknown>): Promise<void>
  /** To the peer's sign-in page, or through it where the browser is signed in there already. */
  begin(browser: WebBrowser): Promise<Page>
  /** Whom the browser's cookie signs in here, if anybody. */
  me(browser: WebBrowser): Promise<{ email: string; role: string } | undefined>
  /** Signs out here; where the browser is to go for the rest. */
  signOut(browser: WebBrowser): Promise<string>
  event(name: string): Promise<Array<{ detail: Record<string, unknown> }>>
}

/** An organization whose administrator sets single sign-on up as a person would: through the API. */
export async function serviceProvider(harness: Harness): Promise<ServiceProvider> {
  const { app, deps, config } = harness
  const origin = config.baseUrl ?? ''
  const org = await harness.organization()
  const owner = await org.user('Owner')
  const cookieOf = (browser: WebBrowser) => browser.cookie(origin, 'cc_session') ?? ''
  const mapped = await owner.post('/api/org/group-mappings', {
    groupName: 'platform-sre',
    role: 'SRE · Cloud Admin',
  })
  expect(mapped.statusCode).toBeLessThan(300)
  return {
    org,
    owner,
    metadata: async () =>
      (await app.inject({ url: `/api/auth/saml/metadata?org=${org.slug}` })).body,
    async save(fields) {
      const saved = await owner.post('/api/org/saml', fields)
      expect(saved.body).toContain('"ok":true')
      const enabled = await owner.patch('/api/org/saml', { enabled: true })
      expect(enabled.json()).toMatchObject({ saml: { enabled: true } })
    },
    async begin(browser) {
      const begun = await app.inject({
        method: 'POST',
        url: '/api/auth/saml/login',
        payload: { slug: org.slug },
      })
      expect(begun.statusCode).toBe(200)
      return browser.go(begun.json().redirectUrl)
    },
    async me(browser) {
      const headers = { cookie: `cc_session=${cookieOf(browser)}` }
      const answer = await app.inject({ url: '/api/auth/me', headers })
      return answer.statusCode === 200 ? answer.json().user : undefined
    },
    async signOut(browser) {
      const headers = { cookie: `cc_session=${cookieOf(browser)}`, origin }
      const answer = await app.inject({ method: 'POST', url: '/api/auth/logout', headers })
      expect(answer.json().redirectUrl).toBeTypeOf('string')
      return answer.json().redirectUrl
    },
    event: async (event) =>
      deps.store.tenant(org.id, async (tenant) =>
        unwrap(tenant).db('audit_entries').where({ organizationId: org.id, event }),
      ),
  }
}
