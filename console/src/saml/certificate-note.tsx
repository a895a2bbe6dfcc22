import type { HomeCertificate } from '../api/types.ts'

/** Warns administrators about an expiring certificate, before single sign-on can fail. */
export function CertificateNote({ certificates }: { certificates: readonly HomeCertificate[] }) {
  if (certificates.length === 0) return null
  const over = certificates.some(({ state }) => state === 'expired')
  return (
    <div className={`note ${over ? 'bad' : 'warn'}`} role="status">
      {certificates.map(({ fingerprint, notAfter, state }) => (
        <p key={fingerprint}>
          <strong>
            A single sign-on certificate {state === 'expired' ? 'expired' : 'expires'} on{' '}
            {notAfter.slice(0, 10)}.
          </strong>{' '}
          Its fingerprint begins with <code>{fingerprint.slice(0, 16)}</code>. Ask your identity
          provider for the next one and save it beside this one.
        </p>
      ))}
    </div>
  )
}
