import type { LightMyRequestResponse } from 'fastify'
import { expect } from 'vitest'
import { sessionOf } from '../../harness/saml-organization.ts'

let page: string | undefined
/** Expects the answer that all refused messages get: the same page, no session, no JSON. */
export function expectRefused(answer: LightMyRequestResponse, what = ''): void {
  expect(answer.statusCode, what).toBe(400)
  expect(answer.headers['content-type'], what).toBe('text/html; charset=utf-8')
  expect(answer.headers['refresh'], what).toBe('0; url=/login?sso=failed')
  expect(answer.headers['cache-control'], what).toBe('no-store')
  expect(sessionOf(answer), what).toBeUndefined()
  expect(answer.body).not.toContain('<script')
  page ??= answer.body
  expect(answer.body, what).toBe(page)
}
