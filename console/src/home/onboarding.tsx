import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useMe } from '../app/session.ts'
import { Icon } from '../parts/icon.tsx'
import { Button } from '../parts/forms.tsx'
import { useKept } from '../parts/kept-in-browser.ts'
import type { Setup } from './setup-notes.tsx'

type Step = { name: string; isDone: boolean; link: ReactNode; why: string }

const stepsOf = (setup: Setup, workspaces: number): Step[] => [
  // Before the workspace: whom an author invites after it was made cannot approve its runs (docs/runs.md).
  {
    name: 'Invite a second person',
    isDone: setup.hasColleague,
    link: <Link to="/organization">Invite a second person</Link>,
    why: 'Runs of a production workspace wait for somebody who was invited before the workspace was created.',
  },
  {
    name: 'Create a workspace',
    isDone: workspaces > 0,
    link: (
      <Link to="/workspaces" search={{ create: true }}>
        Create a workspace
      </Link>
    ),
    why: 'It holds the files, the variables and the state of one piece of infrastructure.',
  },
  {
    name: 'Start a run',
    isDone: setup.hasRun,
    link: <Link to="/workspaces">Start a run</Link>,
    why: 'It plans, checks the plan, and applies it.',
  },
  {
    name: 'Connect a repository',
    isDone: setup.hasGitConnection,
    link: <Link to="/organization/git">Connect a repository</Link>,
    why: 'Workspaces then plan each push and each pull request.',
  },
  {
    name: 'Connect a cloud account',
    isDone: setup.hasCloudAccount,
    link: <Link to="/clouds">Connect a cloud account</Link>,
    why: 'Runs get credentials without stored keys, and costs are read from the bill.',
  },
  {
    name: 'Write a policy',
    isDone: setup.hasPolicy,
    link: <Link to="/organization/policies">Write a policy</Link>,
    why: 'It judges each plan before anybody approves it.',
  },
  {
    name: 'Set up single sign-on',
    isDone: setup.hasIdentityProvider,
    link: <Link to="/organization/sso">Set up single sign-on</Link>,
    why: 'People sign in by Entra ID, Okta, Google Workspace, Keycloak or another provider.',
  },
]

/** The first steps of a new organization, for its Owners. Goes away when all are done, or when it is dismissed. */
export function Onboarding({ setup, workspaces }: { setup: Setup; workspaces: number }) {
  const { user, organization } = useMe()
  const [kept, keep] = useKept(`cc-first-steps-${organization.id}-${user.id}`)
  const steps = stepsOf(setup, workspaces)
  const done = steps.filter(({ isDone }) => isDone).length
  if (kept === 'dismissed' || done === steps.length) return null
  return (
    <section className="section onboarding" aria-labelledby="first-steps">
      <div className="list-head">
        <h2 id="first-steps">
          First steps{' '}
          <span className="count">
            {done} of {steps.length}
          </span>
        </h2>
        <Button onClick={() => keep('dismissed')}>Dismiss</Button>
      </div>
      <ol>
        {steps.map(({ name, isDone, link, why }) => (
          <li key={name} className={isDone ? 'done' : ''}>
            <span className="step-sign">
              <Icon name={isDone ? 'done' : 'queued'} />
            </span>
            <span>
              {isDone ? name : link}
              <span className="visually-hidden">{isDone ? ', done' : ''}</span>
              {!isDone && <span className="dim"> {why}</span>}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
