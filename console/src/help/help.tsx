import { Link } from '@tanstack/react-router'
import { PageHead } from '../parts/pages.tsx'
import { news } from './news.ts'

/** How things work here in a few sentences, and what is new. */
export function HelpPage() {
  return (
    <>
      <PageHead title="Help" />
      <div className="help">
        <HowARunGoes />
        <WhereToFindIt />
        <WhatIsNew />
      </div>
    </>
  )
}

const HowARunGoes = () => (
  <section className="section" aria-labelledby="help-run">
    <h2 id="help-run">How a run goes</h2>
    <ol>
      <li>
        A run is started by a person, a push or a pull request. Runs of one workspace that apply
        wait for their turn.
      </li>
      <li>The plan says what would change. Nothing is changed by it.</li>
      <li>
        Policies and the cost limit judge the plan. A mandatory policy that denies ends the run.
      </li>
      <li>
        On production a second person approves the plan: not its author, and not a person to whom an
        author gave that right. Elsewhere it goes on by itself, unless a confirmation is asked for.
      </li>
      <li>
        The apply does exactly what was approved. If files, variables or settings changed meanwhile,
        the run ends and a new one is needed.
      </li>
    </ol>
  </section>
)

const WhereToFindIt = () => (
  <section className="section" aria-labelledby="help-where">
    <h2 id="help-where">Where to find it</h2>
    <ul>
      <li>
        <Link to="/workspaces">Workspaces</Link>: files, variables, state, cost and settings of one
        piece of infrastructure.
      </li>
      <li>
        <Link to="/runs">Runs</Link>: what runs, waits or failed, over all workspaces.
      </li>
      <li>
        <Link to="/organization/policies">Policies</Link>: the rules that judge plans.
      </li>
      <li>
        <Link to="/organization/roles">Roles</Link>: who may do what.
      </li>
      <li>
        <Link to="/organization/sso">Single sign-on</Link> and{' '}
        <Link to="/organization/provisioning">Provisioning</Link>: guides for each provider.
      </li>
      <li>
        <Link to="/organization/audit">Audit log</Link>: what happened, and by whom.
      </li>
    </ul>
    <p>
      Press <kbd>?</kbd> on any page for the keyboard shortcuts, and <kbd>Ctrl K</kbd> to search.
      Programs use the <a href="/docs">API reference</a>.
    </p>
  </section>
)

const WhatIsNew = () => (
  <section className="section" aria-labelledby="help-news">
    <h2 id="help-news">What is new</h2>
    {news.map(({ version, items }) => (
      <div key={version}>
        <h3>Version {version}</h3>
        <ul>
          {items.map((item) => (
            <li key={item}>{item}</li>
          ))}
        </ul>
      </div>
    ))}
  </section>
)
