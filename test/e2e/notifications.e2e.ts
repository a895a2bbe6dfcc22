import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Relay } from '../../worker/drain-queue.ts'
import { startNotificationRelay } from '../../worker/notification-relay.ts'
import { createHarness, type Harness } from '../harness/create-harness.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts'
import { expectAccessible } from './axe.ts'
import { expectNoSideways, openBrowser, settle, views, visit } from './browser.ts'
import { takePicture } from './picture.ts'

const path = '/organization/notifications'

describe('the page of notifications', () => {
  let harness: Harness
  let browser: Browser
  let receiver: WebhookReceiver
  let relay: Relay
  beforeAll(async () => {
    receiver = await startWebhookReceiver()
    ;[harness, browser] = await Promise.all([
      createHarness({ env: { CC_PRIVATE_HOSTS: receiver.opened } }),
      openBrowser(),
    ])
    relay = startNotificationRelay(harness.deps)
  })
  afterAll(async () => {
    await relay?.stop()
    await browser?.close()
    await harness?.close()
    await receiver?.close()
  })

  const rowOf = (page: Page, name: string) =>
    page.getByRole('region', { name: 'Channels' }).getByRole('row', { name })

  test('a webhook is added, its secret shown once, tested, paused, changed and deleted', async () => {
    const org = await harness.organization()
    const user = await org.user('SRE · Cloud Admin')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByRole('button', { name: 'Add a channel' }).click()
    await expectAccessible(page, 'a new channel')
    await page.getByLabel('Kind').selectOption('Webhook')
    await page.getByLabel('Name', { exact: true }).fill('Pager')
    await page.getByLabel('Address').fill(receiver.url('/pager'))
    await page.getByLabel('Everything, also').uncheck()
    await page.getByLabel('A budget is exceeded').check()
    await page.getByLabel('Only from this much').fill('25')
    await page.getByRole('button', { name: 'Add channel' }).click()
    const secret = await page.locator('.secret-once').innerText()
    expect(secret).toMatch(/^whsec_/)
    await expectAccessible(page, 'the secret of a webhook')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'I have it' }).click()
    await rowOf(page, 'Pager').getByText('A budget is exceeded').waitFor()
    expect(await page.content()).not.toContain(secret)

    await page.getByRole('button', { name: 'Test Pager' }).click()
    await page.getByText('Pager: The test message was accepted, with the status 200.').waitFor()
    expect(receiver.received('/pager')).toHaveLength(1)
    receiver.answer('/pager', (response) => {
      response.statusCode = 404
      response.end('no such hook')
    })
    await page.getByRole('button', { name: 'Test Pager' }).click()
    await page.getByText('The test message failed. It answered 404: no such hook').waitFor()
    await rowOf(page, 'Pager').getByText('Failing').waitFor()
    await rowOf(page, 'Pager').getByText('It answered 404').waitFor()
    await takePicture(page, 'notifications-failing', { fullPage: true })

    await page.getByRole('button', { name: 'Pause Pager' }).click()
    await rowOf(page, 'Pager').getByText('Paused').waitFor()
    await page.getByRole('button', { name: 'Resume Pager' }).click()
    await page.getByRole('button', { name: 'Pause Pager' }).waitFor()
    await page.getByRole('button', { name: 'Change Pager' }).click()
    await expectAccessible(page, 'a channel')
    await page.getByLabel('Name', { exact: true }).fill('On call')
    await page.getByLabel('Of what').selectOption('A cloud')
    await page.getByLabel('Cloud', { exact: true }).fill('aws')
    await page.getByRole('button', { name: 'Save' }).click()
    await rowOf(page, 'On call').getByText('A cloud: aws').waitFor()
    await page.getByRole('button', { name: 'Delete On call' }).click()
    await page.getByRole('button', { name: 'Delete channel' }).click()
    await rowOf(page, 'On call').waitFor({ state: 'detached' })
    expect(faults).toEqual([])
    await context.close()
  })

  test('email reaches people by role and by name, which are kept when something else is changed', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const reader = await org.user('Viewer')
    const { page, context, faults } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByRole('button', { name: 'Add a channel' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Finance')
    await page.getByLabel('By role').selectOption('nobody by role')
    await page.getByLabel('And these people').fill(reader.email.slice(0, 12))
    await page.getByRole('button', { name: `Add ${reader.email}` }).click()
    await page.getByRole('button', { name: 'Add channel' }).click()
    await rowOf(page, 'Finance').getByText('1 person').waitFor()
    await page.getByRole('button', { name: 'Test Finance' }).click()
    await page.getByText('Finance: A test mail is on its way to 1 person.').waitFor()
    expect((await harness.mailTo(reader.email)).subject).toContain('Finance')
    await page.getByRole('button', { name: 'Change Finance' }).click()
    await page.getByRole('button', { name: `Remove ${reader.email}` }).waitFor()
    await page.getByLabel('One mail a day').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const { notifications } = (await user.get('/api/notifications')).json()
    expect(notifications.find(({ name }: { name: string }) => name === 'Finance')).toMatchObject({
      recipients: { userIds: [reader.id], capability: null, owners: true },
      events: ['*'],
      digest: 'immediate',
    })
    expect(faults).toEqual([])
    await context.close()
  })

  test('an address that is refused is told in the form, and what was typed stays', async () => {
    const org = await harness.organization()
    const { page, context } = await visit(browser, harness, { user: await org.user('Owner') })
    await page.goto(path)
    await page.getByRole('button', { name: 'Add a channel' }).click()
    await page.getByLabel('Kind').selectOption('Slack')
    await page.getByLabel('Name', { exact: true }).fill('Ops')
    await page.getByLabel('Address').fill('http://169.254.169.254/latest')
    await page.getByRole('button', { name: 'Add channel' }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Ops')
    await context.close()
  })

  test('a Viewer and a Deployer see channels, and nothing to change them with; axe, width and pictures', async () => {
    const org = await harness.organization()
    for (const view of views)
      for (const role of ['Viewer', 'Deployer', 'Owner'] as const) {
        const user = await org.user(role)
        const { page, context, faults } = await visit(browser, harness, { user, view })
        await page.goto(path)
        await page.getByText('Cost and cloud accounts').waitFor()
        await settle(page)
        const acting = page.getByRole('button', { name: /^(Add|Test|Pause|Change|Delete) / })
        if (role === 'Owner')
          await takePicture(page, `notifications-${view.scheme}-${view.width}`, { fullPage: true })
        else expect(await acting.count()).toBe(0)
        await expectNoSideways(page, 'notifications')
        await expectAccessible(page, 'notifications')
        expect(faults).toEqual([])
        await context.close()
      }
  })

  test('without a channel the page says what one is for', async () => {
    const org = await harness.organization()
    const user = await org.user('Owner')
    const { notifications } = (await user.get('/api/notifications')).json()
    for (const { id } of notifications) await user.delete(`/api/notifications/${id}`)
    const { page, context } = await visit(browser, harness, { user })
    await page.goto(path)
    await page.getByText('No notifications yet').waitFor()
    await expectAccessible(page, 'no channels')
    await context.close()
  })
})
