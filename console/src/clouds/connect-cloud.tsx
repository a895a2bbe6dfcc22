import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import { call } from '../api/call.ts'
import { useMe } from '../app/session.ts'
import { CopyLine } from '../parts/copy-line.tsx'
import { Button, Field, Select, textIn } from '../parts/forms.tsx'
import { Empty, ErrorNote, Loading } from '../parts/notes.tsx'
import { PageHead } from '../parts/pages.tsx'
import { BillingFields } from './billing-fields.tsx'
import { billingIn } from './billing-in.ts'
import { CredentialFields, credentialsIn } from './credential-fields.tsx'
import { accountHint, providerName, usesOf, type Provider, type Use } from './cloud-words.ts'
import { canReach } from './issuer-reach.ts'
import { PlaceFields, placeIn } from './place-fields.tsx'
import { cloudSetupQuery, type CloudSetup } from './queries.ts'
import { RunIdentityFields, runsIn } from './run-identities.tsx'
import { SetupText } from './setup-text.tsx'

// `Object.keys` returns strings, and the keys of `providerName` are exactly the providers.
const providers = Object.keys(providerName) as Provider[]

type Chosen = { provider: Provider; accountId: string; use: Use }

/** Connects an account in three steps: what to connect, the texts for the cloud, the credentials. */
export function ConnectCloudPage() {
  const { may } = useMe()
  const [chosen, setChosen] = useState<Chosen>()
  return (
    <>
      <PageHead above={<Link to="/clouds">Clouds</Link>} title="Connect a cloud account" />
      {may('manage_cloud_accounts') ? (
        <>
          <section className="section">
            <h2>1. Which account</h2>
            <ChooseAccount onChosen={setChosen} />
          </section>
          {chosen && <SetUpAndConnect key={JSON.stringify(chosen)} chosen={chosen} />}
        </>
      ) : (
        <Empty title="Your role cannot connect accounts">
          <p>A person with the role SRE · Cloud Admin or higher connects them.</p>
        </Empty>
      )}
    </>
  )
}

function ChooseAccount({ onChosen }: { onChosen: (chosen: Chosen | undefined) => void }) {
  const [provider, setProvider] = useState<Provider>('aws')
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const use = usesOf[provider].find((one) => one.use === textIn(form, 'use'))?.use
    onChosen({ provider, accountId: textIn(form, 'accountId').trim(), use: use ?? 'federation' })
  }
  return (
    // The steps below are of what was sent: with other fields here, they would connect another account.
    <form onSubmit={submit} onChange={() => onChosen(undefined)} className="stack">
      <Select
        label="Cloud"
        value={provider}
        onChange={({ target: { value } }) =>
          setProvider(providers.find((one) => one === value) ?? 'aws')
        }
      >
        {providers.map((one) => (
          <option key={one} value={one}>
            {providerName[one]}
          </option>
        ))}
      </Select>
      <Field
        label="Account id"
        name="accountId"
        required
        maxLength={130}
        autoComplete="off"
        spellCheck={false}
        {...accountHint[provider]}
      />
      <Select
        label="How cloud-control signs in"
        name="use"
        key={provider}
        hint="Without a key there is nothing that could be stolen or that expires."
      >
        {usesOf[provider].map(({ use, words }) => (
          <option key={use} value={use}>
            {words}
          </option>
        ))}
      </Select>
      <span className="actions">
        <Button type="submit" tone="primary">
          Show what to set up
        </Button>
      </span>
    </form>
  )
}

function SetUpAndConnect({ chosen }: { chosen: Chosen }) {
  const setup = useQuery(cloudSetupQuery(chosen))
  return (
    <>
      <section className="section">
        <h2>
          2. In {providerName[chosen.provider]}, {chosen.accountId}
        </h2>
        <ErrorNote error={setup.error} />
        {setup.isPending && <Loading what="what to set up" />}
        {setup.data && <SetupTexts setup={setup.data} chosen={chosen} />}
      </section>
      {setup.data && (
        <section className="section">
          <h2>3. Credentials of {chosen.accountId}</h2>
          <ConnectForm chosen={chosen} />
        </section>
      )}
    </>
  )
}

function SetupTexts({ setup, chosen }: { setup: CloudSetup; chosen: Chosen }) {
  return (
    <>
      <UnreachableIssuer issuer={setup.issuer} chosen={chosen} />
      <p>
        Run the commands, or apply the OpenTofu file. Either makes an identity that may read what is
        listed under the rights, and nothing else.
      </p>
      <SetupText title="Commands" text={setup.commands} open />
      <SetupText title="OpenTofu file" text={setup.opentofu} />
      {setup.trustPolicy !== null && <SetupText title="Trust policy" text={setup.trustPolicy} />}
      <SetupText title="Rights" text={setup.policy} />
      <dl className="pairs">
        {chosen.use === 'role' && <CopyLine label="External id" text={setup.externalId} />}
        <CopyLine label="Issuer" text={setup.issuer} />
      </dl>
      {setup.issuerDocuments.length > 0 && (
        <details>
          <summary>If the cloud cannot reach this issuer over the internet</summary>
          <p>Publish these documents at exactly these addresses, on any static web host.</p>
          {setup.issuerDocuments.map(({ url, content }) => (
            <SetupText key={url} title={url} text={content} />
          ))}
        </details>
      )}
    </>
  )
}

/** Only without a key does the cloud read the issuer, which it does over the internet. */
function UnreachableIssuer({ issuer, chosen: { provider, use } }: IssuerProps) {
  if (use !== 'federation' || canReach(issuer)) return null
  const withKey = usesOf[provider].find((one) => one.use === 'keys')?.words ?? 'A key'
  return (
    <p className="note">
      The issuer is <code>{issuer}</code>. {providerName[provider]} cannot reach this address. Set
      the public https address of the service first, or use{' '}
      {withKey.replace(/^./, (letter) => letter.toLowerCase())}.
    </p>
  )
}

type IssuerProps = { issuer: string; chosen: Chosen }

function ConnectForm({ chosen: { provider, accountId, use } }: { chosen: Chosen }) {
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const connect = useMutation({
    mutationFn: (form: FormData) => {
      const { endpoint, regions } = placeIn(form)
      const runs = runsIn(form, provider)
      const billing = billingIn(form, provider)
      return call('connectCloudAccount', {
        body: {
          provider,
          accountId,
          name: textIn(form, 'name').trim(),
          credentials: credentialsIn(form, provider, use),
          ...(runs && { runs }),
          ...(endpoint && { endpoint }),
          ...(regions && { regions }),
          ...(billing && { billing }),
        },
      })
    },
    onSuccess: async ({ account: { id } }) => {
      await queryClient.invalidateQueries({ queryKey: ['clouds'] })
      // The page of the account shows the checks as they come in.
      await navigate({ to: '/clouds/$id', params: { id } })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    connect.mutate(new FormData(event.currentTarget))
  }
  return (
    <form onSubmit={submit} className="stack">
      <Field label="Name" name="name" required maxLength={100} hint="As it is listed here." />
      <CredentialFields provider={provider} use={use} />
      <details>
        <summary>Credentials for runs</summary>
        <p>
          Runs of a workspace that uses this account are lent these for as long as they work. They
          never see the credentials above. Which account a workspace uses is chosen in its settings.
        </p>
        <RunIdentityFields provider={provider} runs={null} use={use} />
      </details>
      <details>
        <summary>Bills</summary>
        <BillingFields provider={provider} billing={null} />
      </details>
      <details>
        <summary>More</summary>
        <PlaceFields regions={null} endpoint={null} />
      </details>
      <ErrorNote error={connect.error} />
      <span className="actions">
        <Button type="submit" tone="primary" busy={connect.isPending}>
          Connect and check
        </Button>
      </span>
    </form>
  )
}
