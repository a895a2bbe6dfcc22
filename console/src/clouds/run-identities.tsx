import { Link } from '@tanstack/react-router'
import { Fragment, useState } from 'react'
import type { Body } from '../api/call.ts'
import { Field, Select, textIn } from '../parts/forms.tsx'
import type { Provider, Use } from './cloud-words.ts'
import type { CloudAccount } from './queries.ts'

type Runs = NonNullable<Body<'changeCloudAccount'>['runs']>
type Identity = NonNullable<Runs['plan']>
type Phase = keyof Runs

const phases: ReadonlyArray<{ phase: Phase; label: string; words: string }> = [
  { phase: 'plan', label: 'Plans sign in as', words: 'Plans' },
  { phase: 'apply', label: 'Applies sign in as', words: 'Applies' },
]

const identityOf = {
  aws: { field: 'roleArn', label: 'Role ARN' },
  azure: { field: 'clientId', label: 'Application (client) id' },
  gcp: { field: 'serviceAccountEmail', label: 'Service account' },
} as const

/** What the runs of workspaces that use the account are lent in each phase. */
export function RunIdentityFields(props: LentTo) {
  return phases.map(({ phase, label }) => (
    <PhaseFields key={phase} {...{ ...props, phase, label }} />
  ))
}

/** `runs`: what is lent now. */
type LentTo = { provider: Provider; use: Use; runs: CloudAccount['runs'] }

function PhaseFields({
  phase,
  label,
  provider,
  use,
  runs,
}: LentTo & { phase: Phase; label: string }) {
  const now = runs?.[phase]
  const [kind, setKind] = useState(kindOf(now))
  const { field, label: identityLabel } = identityOf[provider]
  return (
    <>
      <Select
        label={label}
        name={`${phase}-kind`}
        value={kind}
        onChange={({ target }) => setKind(target.value)}
      >
        <option value="none">Nothing: runs are lent no credentials</option>
        {/* Azure has nothing less than the secret to lend. */}
        {!(provider === 'azure' && use === 'keys') && (
          <option value="account">The identity of this account</option>
        )}
        <option value="other">Another identity</option>
      </Select>
      {kind === 'other' && (
        <Field
          label={`${identityLabel}, for ${phase === 'plan' ? 'plans' : 'applies'}`}
          name={`${phase}-identity`}
          defaultValue={typeof now === 'object' ? now[field] : ''}
          required
          maxLength={700}
          autoComplete="off"
          spellCheck={false}
        />
      )}
    </>
  )
}

const kindOf = (identity: Identity | undefined): string =>
  identity === undefined ? 'none' : identity === 'account' ? 'account' : 'other'

/** Null: runs are lent nothing in either phase. */
export function runsIn(form: FormData, provider: Provider): Runs | null {
  const runs: Runs = {}
  for (const { phase } of phases) {
    const kind = textIn(form, `${phase}-kind`)
    if (kind === 'account') runs[phase] = 'account'
    if (kind === 'other')
      runs[phase] = { [identityOf[provider].field]: textIn(form, `${phase}-identity`).trim() }
  }
  return Object.keys(runs).length > 0 ? runs : null
}

/** What runs are lent, as members read it. */
export function RunIdentities({ account: { provider, runs } }: { account: CloudAccount }) {
  return (
    <>
      <dl className="pairs">
        {phases.map(({ phase, words }) => {
          const identity = runs?.[phase]
          return (
            <Fragment key={phase}>
              <dt>{words} are lent</dt>
              <dd>
                {identity === undefined && 'nothing'}
                {identity === 'account' && 'the identity of this account'}
                {typeof identity === 'object' && (
                  <code>{identity[identityOf[provider].field]}</code>
                )}
              </dd>
            </Fragment>
          )
        })}
      </dl>
      <p className="section-text dim">
        A workspace uses this account once its settings name it.{' '}
        <Link to="/workspaces">Workspaces</Link>
      </p>
    </>
  )
}
