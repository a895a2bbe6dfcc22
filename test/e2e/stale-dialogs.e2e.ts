import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workspaceRuns } from '../../store/runs/workspace-runs.ts'
import { approvalWorld } from '../api/runs/approval-world.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { createIdentityProvider } from '../harness/identity-provider.ts'
import type { TestOrganization } from '../harness/test-organization.ts'
import type { TestUser } from '../harness/test-user.ts'
import { expectAccessible } from './axe.ts'
import { openBrowser, visit } from './browser.ts'
import { freezeAnswer } from './freeze-answer.ts'
import { waitingDeployment } from './waiting-deployment.ts'

// What a dialog asks about can change while it is open, and the answer to a decision can be lost.
describe('a dialog that is out of date', () => {
  let harness: Harness
  let browser: Browser
  let org: TestOrganization
  let owner: TestUser
  let other: TestUser
  beforeAll(async () => {
    ;[harness, browser] = await Promise.all([createHarness(), openBrowser()])
    org = await harness.organization()
    ;[owner, other] = [await org.user('Owner'), await org.user('Owner')]
  })
  afterAll(async () => {
    await browser?.close()
    await harness?.close()
  })

  /** As the browser does when its network is back: all that is shown is asked for anew. */
  const lookAgain = async (page: Page) => page.evaluate(`dispatchEvent(new Event('online'))`)
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const dialog = (page: Page) => page.getByRole('dialog')
  const heading = (page: Page, name: string) => dialog(page).getByRole('heading', { name })
  const done = async (answer: ReturnType<TestUser['post']>) => {
    const { statusCode, body } = await answer
    expect(statusCode, body).toBe(200)
  }
  const open = async (path: string, user = owner) => {
    const visited = await visit(browser, harness, { user })
    await visited.page.goto(path)
    return visited
  }
  for (const [act, question, sends] of [
    ['approve', 'Let it go on…', 'Let it go on'],
    ['reject', 'Stop…', 'Stop and go back'],
  ] as const)
    test(`${act}: of the step that was looked at, and not of the one that waits by now`, async () => {
      const deployment = await waitingDeployment(harness, { org, by: owner })
      const { page, context, faults } = await open(deployment.path)
      await page.getByText('The deployment waits after step 1').waitFor()
      const seeAgain = await freezeAnswer(page, { user: owner, url: deployment.url })
      await button(page, question).click()
      await done(other.post(`${deployment.url}/approve`, { step: 1 }))
      await deployment.waitAfter(2)
      await dialog(page).getByRole('button', { name: sends, exact: true }).click()
      await dialog(page).getByText('The deployment went on since you looked at it').waitFor()
      expect(await deployment.steps()).toEqual({ confirmed: [1], confirmStep: 2 })
      await seeAgain()
      await lookAgain(page)
      await heading(page, 'Another step waits now').waitFor()
      await dialog(page).getByText('The service refused your decision').waitFor()
      expect(faults).toEqual([])
      await context.close()
    })

  test('another person lets a deployment go on: the dialog says which step waits, and sends nothing', async () => {
    const deployment = await waitingDeployment(harness, { org, by: owner })
    const { page, context, faults } = await open(deployment.path)
    await button(page, 'Let it go on…').click()
    await heading(page, 'go on after step 1?').waitFor()
    await done(other.post(`${deployment.url}/approve`, { step: 1 }))
    await deployment.waitAfter(2)
    await lookAgain(page)
    await heading(page, 'Another step waits now').waitFor()
    await dialog(page)
      .getByText(`${other.email} approved it meanwhile. Your decision was not sent.`)
      .waitFor()
    await dialog(page).getByText('The deployment waits after step 2 now.').waitFor()
    await expectAccessible(page, 'another step that waits')
    await button(page, 'Go on').click()
    await button(page, 'Let it go on…').click()
    await heading(page, 'go on after step 2?').waitFor()
    await dialog(page).getByRole('button', { name: 'Let it go on', exact: true }).click()
    await dialog(page).waitFor({ state: 'hidden' })
    expect(await deployment.steps()).toEqual({ confirmed: [1, 2], confirmStep: null })
    expect(faults).toEqual([])
    await context.close()
  })

  test('the answer to a decision about a step is lost: it is said that it arrived', async () => {
    const deployment = await waitingDeployment(harness, { org, by: owner })
    const { page, context, faults } = await open(deployment.path)
    await page.route('**/approve', async (route) => {
      await route.fetch()
      await route.abort()
    })
    await button(page, 'Let it go on…').click()
    await dialog(page).getByRole('button', { name: 'Let it go on', exact: true }).click()
    await dialog(page).getByText('Your approval arrived.').waitFor()
    expect(await dialog(page).getByText('was not sent').count()).toBe(0)
    expect(await deployment.steps()).toEqual({ confirmed: [1], confirmStep: null })
    expect(faults).toEqual([])
    await context.close()
  })

  /** The page of a production run that waits, with its dialog open. */
  const decisionOn = async (choice: 'Approve…' | 'Reject…') => {
    const author = await org.user('Deployer')
    const workspace = await org.workspace({ by: author, criticality: 'production' })
    const { id, approveUrl } = await approvalWorld(harness).waitingRun(org, author, workspace)
    const visited = await open(`/pipelines/${workspace.pipelineId}/runs/${id}`)
    await button(visited.page, choice).click()
    return { ...visited, approveUrl }
  }

  for (const [choice, sends, path, words] of [
    ['Approve…', 'Approve and apply', '**/approve', 'Your approval arrived.'],
    ['Reject…', 'Reject the plan', '**/reject', 'Your rejection arrived.'],
  ] as const)
    test(`${path}: the answer to a decision about a plan is lost: it is said that it arrived`, async () => {
      const { page, context, faults } = await decisionOn(choice)
      await page.route(path, async (route) => {
        await route.fetch()
        await route.abort()
      })
      await dialog(page).getByRole('button', { name: sends }).click()
      await heading(page, 'This run no longer waits').waitFor()
      await dialog(page).getByText(words).waitFor()
      expect(await dialog(page).getByText('was not sent').count()).toBe(0)
      await expectAccessible(page, 'a decision whose answer was lost')
      expect(faults).toEqual([])
      await context.close()
    })

  test('no answer to a decision, and another person decides: it is not known whether it arrived', async () => {
    const { page, context, faults, approveUrl } = await decisionOn('Approve…')
    await page.route('**/approve', async (route) => route.abort())
    await dialog(page).getByRole('button', { name: 'Approve and apply' }).click()
    await dialog(page).getByRole('alert').waitFor()
    await done(other.post(approveUrl, {}))
    await lookAgain(page)
    await dialog(page).getByText(`${other.email} approved it meanwhile.`).waitFor()
    await dialog(page).getByText('it is not known whether it arrived').waitFor()
    expect(await dialog(page).getByText('was not sent').count()).toBe(0)
    expect(faults).toEqual([])
    await context.close()
  })

  for (const [choice, asks] of [
    ['Let it be planned…', 'Let version 1 of the files be planned'],
    ['Reject…', 'Reject this run?'],
  ] as const)
    test(`${choice}: of a run whose plan waits by now, which nobody looked at: nothing is sent`, async () => {
      const guarded = await harness.organization()
      const [author, user, second] = [
        await guarded.user('Deployer'),
        await guarded.user('Owner'),
        await guarded.user('Owner'),
      ]
      await done(user.patch('/api/org/settings', { planApproval: 'unseen' }))
      const workspace = await guarded.workspace({ by: author, criticality: 'production' })
      const { id, configurationSha256 } = (await author.post(`${workspace.url}/apply`)).json().run
      const path = `/pipelines/${workspace.pipelineId}/runs/${id}`
      const { page, context, faults } = await open(path, user)
      const sent: string[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') sent.push(request.url())
      })
      await button(page, choice).click()
      await dialog(page).getByRole('heading', { name: asks }).waitFor()
      await done(second.post(`/api${path}/approve`, { configurationSha256 }))
      await lookAgain(page)
      await heading(page, 'This run no longer waits').waitFor()
      await harness.deps.store.tenant(guarded.id, async (tenant) =>
        workspaceRuns(tenant).move(id, ['queued', 'planning'], {
          phase: 'awaiting_approval',
          planDigest: 'sha256:0',
        }),
      )
      await lookAgain(page)
      await heading(page, 'The plan waits now').waitFor()
      await dialog(page)
        .getByText(`${second.email} approved it meanwhile. Your decision was not sent.`)
        .waitFor()
      await dialog(page).getByText('Look at the plan before you decide.').waitFor()
      await expectAccessible(page, 'a plan that waits now')
      await button(page, 'Go on').click()
      await button(page, 'Reject…').click()
      await heading(page, 'Reject this plan?').waitFor()
      expect(sent).toEqual([])
      expect(faults).toEqual([])
      await context.close()
    })

  test('the lock is taken or released while a dialog asks about it: nothing is sent', async () => {
    const workspace = await org.workspace({ by: owner })
    const third = await org.user('Owner')
    const { page, context, faults } = await open(`/workspaces/${workspace.id}`)
    await button(page, 'Lock…').click()
    await heading(page, 'Lock the workspace?').waitFor()
    await done(other.post(`${workspace.url}/lock`, { reason: 'by hand' }))
    await lookAgain(page)
    await heading(page, 'The lock changed meanwhile').waitFor()
    await dialog(page).getByText(`${other.email} holds the lock, since`).waitFor()
    await expectAccessible(page, 'a lock that changed meanwhile')
    await button(page, 'Go on').click()
    await button(page, 'Unlock…').click()
    await dialog(page).getByText(`${other.email} holds this lock.`).waitFor()
    await done(other.post(`${workspace.url}/unlock`, {}))
    await done(third.post(`${workspace.url}/lock`, {}))
    await lookAgain(page)
    await dialog(page).getByText(`${third.email} holds the lock, since`).waitFor()
    await button(page, 'Go on').click()
    await button(page, 'Unlock…').click()
    await done(third.post(`${workspace.url}/unlock`, {}))
    await lookAgain(page)
    await dialog(page).getByText('Nobody holds the lock now.').waitFor()
    await button(page, 'Go on').click()
    // One's own change does not count as somebody else's.
    await button(page, 'Lock…').click()
    await dialog(page).getByRole('button', { name: 'Lock', exact: true }).click()
    await dialog(page).waitFor({ state: 'hidden' })
    await page.getByText(`Locked by ${owner.email}`).waitFor()
    expect(faults).toEqual([])
    await context.close()
  })

  test('another person changes the setting for new files: the question does not become its opposite', async () => {
    const { page, context, faults } = await open('/organization/policies')
    await button(page, 'Ask for a second person…').click()
    await done(other.patch('/api/org/settings', { planApproval: 'unseen' }))
    await lookAgain(page)
    await heading(page, 'This setting changed meanwhile').waitFor()
    await button(page, 'Go on').click()
    await button(page, 'Plan at once…').click()
    await dialog(page).getByRole('button', { name: 'Plan at once' }).click()
    await dialog(page).waitFor({ state: 'hidden' })
    expect((await owner.get('/api/org/settings')).json().planApproval).toBe('none')
    expect(faults).toEqual([])
    await context.close()
  })

  test('another person requires single sign-on: the question does not become its opposite', async () => {
    const idp = await createIdentityProvider({ host: 'login.northwind.example' })
    await done(
      owner.post('/api/org/saml', {
        metadataXml: idp.metadata(),
        attrEmail: 'email',
        emailDomains: [`${org.slug}.example`],
      }),
    )
    await done(owner.patch('/api/org/saml', { enabled: true }))
    const { page, context, faults } = await open('/organization/sso')
    await button(page, 'Require single sign-on…').click()
    await done(other.patch('/api/org/sso', { requireSso: true }))
    await lookAgain(page)
    await heading(page, 'This setting changed meanwhile').waitFor()
    await button(page, 'Go on').click()
    await button(page, 'Allow passwords…').click()
    await dialog(page).getByRole('button', { name: 'Allow passwords' }).click()
    await dialog(page).waitFor({ state: 'hidden' })
    expect((await owner.get('/api/org/sso')).json().requireSso).toBe(false)
    expect(faults).toEqual([])
    await context.close()
  })
})
