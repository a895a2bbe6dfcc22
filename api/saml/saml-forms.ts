import type { FastifyInstance } from 'fastify'
import { Type, type TSchema } from 'typebox'
import { bodyShares } from '../http/body-shares.ts'
import { renderSamlError } from './render-saml.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The form as it was sent: a signature covers its octets, and duplicate names must be noticed. */
    formText: string
  }
}

/** SAML messages are a few kilobytes; one with a thousand groups is about a hundred. */
export const formLimitBytes = 512 * 1024

/**
 * Makes a plugin accept forms alone, and answer every error with a page. A form may come from anybody, so a large one
 * takes a share of the memory of such bodies before it is received.
 */
export function takeSamlForms(app: FastifyInstance, renderError = renderSamlError): void {
  app.setErrorHandler(renderError)
  app.removeAllContentTypeParsers()
  app.decorateRequest('formText', '')
  app.addHook('preParsing', async (request, _reply, payload) => {
    await bodyShares.take(request, payload, formLimitBytes)
    return payload
  })
  app.whenOver((request) => bodyShares.leave(request))
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: formLimitBytes },
    (request, text: string, done) => {
      request.formText = text
      done(null, {})
    },
  )
}

const html = (description: string) => ({
  description,
  content: { 'text/html': { schema: Type.String() as TSchema } },
})

/** For the OpenAPI document: these addresses answer with redirects and pages. */
export const browserAnswers = (...statuses: Array<403>) => ({
  200: html('A form that sends itself on, where the provider takes forms.'),
  303: { description: 'Where the browser goes next.', type: 'null' as const },
  400: html('The message is not believed. One page for every cause.'),
  ...Object.fromEntries(statuses.map((status) => [status, html('The organization is suspended.')])),
  413: html('Larger than 512 KiB.'),
  415: html('No form.'),
  429: html('Too many requests; Retry-After says how long to wait.'),
  500: html('A fault of the service; only the request id is told.'),
  503: html('A backing service cannot be reached.'),
})
