import type { ConsolePage } from './console-page.ts'

/**
 * Scripts and styles are this origin's own, and of inline ones only those that were built into the
 * page, by their hash: an injected one does not run. Nobody may frame a page on which an approval is
 * one click away.
 */
export const pageHeaders = ({
  scriptHashes,
  styleHashes,
  images = '',
}: Partial<ConsolePage> & { images?: string } = {}) => ({
  'content-security-policy': [
    "default-src 'none'",
    ["script-src 'self'", ...(scriptHashes ?? [])].join(' '),
    ["style-src 'self'", ...(styleHashes ?? [])].join(' '),
    `img-src 'self'${images}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
})
