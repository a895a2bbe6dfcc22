import { createHash } from 'node:crypto'
import { escapeXml } from '../../domain/saml/escape-xml.ts'

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:15vh auto;padding:0 1rem}'
const submit = 'document.forms[0].submit()'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

const policy = (extra = '') =>
  `default-src 'none'; style-src ${hashOf(style)}; base-uri 'none'; frame-ancestors 'none'${extra}`

/** No script runs on these pages, whatever a message contains. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy("; form-action 'none'"),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const

/** Both arguments are HTML: the caller escapes everything that is not constant. */
export const page = (title: string, body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style></head>
<body><h1>${title}</h1>
${body}
</body>
</html>
`

/** The one page of every refused message, byte for byte, so that an attacker does not learn which check failed. */
export const refusalPage = page(
  'That did not work',
  '<p>The message from your identity provider could not be used. It may be too old, or used already.</p>\n<p><a href="/login">Go to the sign-in page</a> and try again. If it happens again, tell your administrator the time it happened.</p>',
)

/** For faults of this service, or of the request rather than of its message. */
export const troublePage = (requestId: string) =>
  page(
    'That did not work',
    `<p>Something is not available at the moment, or the request was not one that this address takes.</p>\n<p><a href="/login">Go to the sign-in page</a> and try again. The request id is ${escapeXml(requestId)}.</p>`,
  )

export type PostForm = { action: string; fields: Record<string, string> }

/** The POST binding: a form that submits itself. Its script is allowed by hash, so no other runs. */
export function postFormPage({ action, fields }: PostForm) {
  const inputs = Object.entries(fields)
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${escapeXml(name)}" value="${escapeXml(value)}">`,
    )
    .join('\n')
  const form = `<form method="post" action="${escapeXml(action)}">\n${inputs}\n<noscript><p>Your browser runs no scripts. Go on by hand.</p></noscript>\n<p><button>Continue</button></p>\n</form>\n<script>${submit}</script>`
  // Providers redirect after a form to hosts that only they know, so the policy names none.
  const actions = action.startsWith('https:') ? 'https:' : `https: ${new URL(action).origin}`
  return {
    headers: {
      ...pageHeaders,
      'content-security-policy': policy(`; script-src ${hashOf(submit)}; form-action ${actions}`),
    },
    html: page('One moment', form),
  }
}
