import { X509Certificate } from 'node:crypto'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { warnOfCertificates } from '../../store/platform/warn-of-certificates.ts'
import { startTasks } from '../../worker/run-tasks.ts'
import { warnOfCertificatesTask } from '../../worker/tasks/warn-of-certificates.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { makeKey } from '../harness/identity-provider.ts'
import { createSamlOrganization, type SamlOrganization } from '../harness/saml-organization.ts'

let harness: Harness
beforeAll(async () => {
  harness = await createHarness()
})
afterAll(async () => harness.close())

const certificate = async (days: number) =>
  (await makeKey({ validUntil: new Date(Date.now() + days * 86_400_000) })).certificate
const withCertificates = async (...days: number[]): Promise<SamlOrganization> => {
  const pem = (await Promise.all(days.map(certificate))).join('')
  return createSamlOrganization(harness, { certificate: pem })
}
const warn = async () => warnOfCertificates(harness.deps.store.platform)
const queued = async ({ org }: SamlOrganization) =>
  harness.deps.store
    .platform('mails')
    .where({ organizationId: org.id, kind: 'certificate_expiring' })
    .orderBy('userId')
const shown = async (by: SamlOrganization['admin']) =>
  (await by.get('/api/console/data')).json().samlCertificates

test('those who may change it are told 30 days ahead, once, and see it in the console', async () => {
  const saml = await withCertificates(29, 31)
  const second = await saml.org.user('Org Admin')
  const bystander = await saml.org.user('SRE · Cloud Admin')
  await withCertificates(400)
  // Two workers at once.
  const warned = await Promise.all([warn(), warn(), warn()])
  expect(warned.reduce((sum, n) => sum + n)).toBe(1)
  expect(await warn()).toBe(0)
  expect((await queued(saml)).map(({ userId }) => userId)).toEqual([saml.admin.id, second.id])

  const { text, subject } = await harness.mailTo(second.email)
  const [ending] = await shown(second)
  expect(subject).toContain(`expires on ${ending.notAfter.slice(0, 10)}`)
  expect(text).toContain(ending.fingerprint)
  expect(text).toContain('Another saved certificate is valid for longer')
  expect(await shown(second)).toEqual([{ ...ending, state: 'expiring' }])
  expect(await shown(bystander)).toEqual([])
})

test('saving the same certificate again warns nobody again; the last one says so', async () => {
  const pem = await certificate(5)
  const saml = await createSamlOrganization(harness, { certificate: pem })
  await warn()
  await saml.admin.post('/api/org/saml', { idpEntityId: saml.idp.entityId, certificate: pem })
  expect(await warn()).toBe(0)
  expect(await queued(saml)).toHaveLength(1)
  expect((await harness.mailTo(saml.admin.email)).text).toContain(
    'No saved certificate is valid for longer',
  )
  const fingerprint = new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase()
  expect(await shown(saml.admin)).toMatchObject([{ fingerprint, state: 'expiring' }])
})

test('a disabled provider warns nobody before it is enabled; one that has expired is told of too', async () => {
  const saml = await withCertificates(-1)
  await saml.admin.patch('/api/org/saml', { enabled: false })
  expect([await warn(), await shown(saml.admin)]).toEqual([0, []])
  await saml.admin.patch('/api/org/saml', { enabled: true })
  expect(await shown(saml.admin)).toMatchObject([{ state: 'expired' }])
  const { log } = harness.deps
  const tasks = startTasks([warnOfCertificatesTask(harness.deps)], {
    registry: new Registry(),
    log,
  })
  const { subject } = await harness.mailTo(saml.admin.email)
  await tasks.stop()
  expect(subject).toContain('expired on')
})

test('what was replaced before the mail left, and who was demoted, are not told', async () => {
  const saml = await withCertificates(10)
  const { store } = harness.deps
  await store.platform('organizations').where({ id: saml.org.id }).update({ status: 'suspended' })
  expect(await warn()).toBe(0)
  await store.platform('organizations').where({ id: saml.org.id }).update({ status: 'active' })
  await store.platform.transaction(async (db) => {
    await warnOfCertificates(db)
    // Within the transaction nobody has the mail yet.
    await db('saml_idp_certificates').where({ organizationId: saml.org.id }).delete()
  })
  await expect
    .poll(async () => (await queued(saml)).map(({ outcome }) => outcome), { timeout: 20_000 })
    .toEqual(['moot'])
})
