import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { ssoQuery } from './queries.ts'
import { useMe } from '../app/session.ts'
import { CopyLine } from '../parts/copy-line.tsx'
import { Guide } from '../parts/guide.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { ForAdministrators } from '../organizations/for-administrators.tsx'
import { SsoAttempts, TestResult } from './sso-attempts.tsx'
import { SsoDomains } from './sso-domains.tsx'
import { SsoProvider } from './sso-provider.tsx'
import { ssoGuides } from './sso-guides.ts'
import { SsoRequired } from './sso-required.tsx'

const route = getRouteApi('/app/organization/sso')

/** The settings of single sign-on (SAML 2.0). */
export function SsoPage() {
  const { may } = useMe()
  return may('manage_users_sso') ? <Sso /> : <ForAdministrators what="Single sign-on" />
}

function Sso() {
  const { tested = false } = route.useSearch()
  const query = useQuery(ssoQuery)
  const sso = query.data
  if (!sso)
    return (
      <>
        <ErrorNote error={query.error} goesOn />
        {query.isPending && <Loading what="single sign-on" />}
      </>
    )
  const { serviceProvider, saml } = sso
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {tested && <TestResult />}
      <SsoProvider saml={saml} requireSso={sso.requireSso} />
      <section className="section" aria-labelledby="sp-title">
        <h2 id="sp-title">Values for your identity provider</h2>
        <p className="dim section-text">
          Create a SAML 2.0 application there with these values, or give it the metadata URL.
        </p>
        <dl className="copy-lines">
          <CopyLine label="Entity ID (audience)" text={serviceProvider.entityId} />
          <CopyLine label="ACS URL (reply URL)" text={serviceProvider.acsUrl} />
          <CopyLine label="Logout URL" text={serviceProvider.sloUrl} />
          <CopyLine label="Metadata URL" text={serviceProvider.metadataUrl} />
        </dl>
      </section>
      <Guide title="Setup guide" guides={ssoGuides(serviceProvider)} />
      {saml && <SsoDomains saml={saml} />}
      {saml && <SsoRequired saml={saml} requireSso={sso.requireSso} />}
      {saml && <SsoAttempts />}
    </>
  )
}
