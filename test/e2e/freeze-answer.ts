import type { Page, Route } from 'playwright-core'
import type { TestUser } from '../harness/test-user.ts'

/**
 * Goes on answering the page what the API answers at this address now, as between two polls. The returned
 * function ends that.
 */
export async function freezeAnswer(
  page: Page,
  { user, url }: { user: TestUser; url: string },
): Promise<() => Promise<void>> {
  const json = (await user.get(url)).json()
  const isOfUrl = ({ pathname }: URL) => pathname === url
  const answer = async (route: Route) =>
    route.request().method() === 'GET' ? route.fulfill({ json }) : route.fallback()
  await page.route(isOfUrl, answer)
  return async () => page.unroute(isOfUrl, answer)
}
