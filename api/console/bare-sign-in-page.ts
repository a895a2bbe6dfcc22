import { page, pageHeaders } from '../saml/pages.ts'

type Notice = { title: string; next: string }

const again =
  '<p>To sign in, build the console (<code>npm run build</code>) and start the service again, or send <code>POST /api/auth/login</code>; <a href="/docs">the API’s reference</a> says how.</p>'

/** In the console's words: what happened, and what to do next. */
const notices = {
  failed: {
    title: 'Single sign-on did not succeed',
    next: '<p>Start again where you began. If it fails again, ask a person with the role Org Admin to look at the single sign-on of your organization. If you have a password, sign in with it.</p>',
  },
  partial: {
    title: 'You are signed out here, but not everywhere',
    next: '<p>Your identity provider could not end all of its sessions. On a shared computer sign out there as well, or close the browser.</p>',
  },
  here: {
    title: 'You are signed out here, but not at your identity provider',
    next: '<p>You may still be signed in there, and in other applications. On a shared computer sign out there as well, or close the browser.</p>',
  },
  signedOut: { title: 'You are signed out', next: '' },
  none: { title: 'Sign in', next: '<p>The console is not built here.</p>' },
} satisfies Record<string, Notice>

/**
 * The page of `/login` when the console is not built. Identity providers send browsers here, which
 * need the outcome and the next step. Undefined for any other address. The page shows nothing of
 * the address, so an attacker cannot inject a script by a link.
 */
export function bareSignInPage(url: string) {
  const [path = '', ...query] = url.split('?')
  if (path !== '/login') return undefined
  const { title, next } = noticeOf(new URLSearchParams(query.join('?')))
  return { headers: pageHeaders, html: page(title, `${next}\n${again}`) }
}

function noticeOf(search: URLSearchParams): Notice {
  if (search.has('sso')) return notices.failed
  const signedOut = search.get('signedout')
  if (signedOut === 'partial') return notices.partial
  if (signedOut === 'failed') return notices.here
  return signedOut === null ? notices.none : notices.signedOut
}
