import type { ConsolePage } from './console-page.ts'

/**
 * Allows scripts and styles of this origin alone, and inline ones only by the hash of those built
 * into the page: an injected script does not run. Frames are denied, since an attacker could
 * otherwise trick a person into a click on "Approve" (clickjacking).
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
    "font-src 'self'",
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
