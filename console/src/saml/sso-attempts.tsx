import { useQuery } from '@tanstack/react-query'
import { samlTracesQuery } from './queries.ts'
import { traceWords } from './saml-words.ts'
import type { SamlTrace } from '../api/types.ts'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { Time } from '../parts/time.tsx'

/** The newest attempts with the data that the provider sent, to diagnose a failed sign-in. */
export function SsoAttempts() {
  const query = useQuery(samlTracesQuery)
  const traces = query.data?.traces ?? []
  return (
    <section className="section" aria-labelledby="attempts-title">
      <h2 id="attempts-title">Attempts</h2>
      <ErrorNote error={query.error} goesOn />
      {query.isPending && <Loading what="attempts" />}
      {query.isSuccess && traces.length === 0 && (
        <p className="dim quiet-line">
          No attempts yet. Each sign-in through the provider is listed here with its data.
        </p>
      )}
      {traces.length > 0 && (
        <ul className="rows">
          {traces.map((trace) => (
            <li key={trace.id}>
              <details className="trace">
                <summary className="row low">
                  <Outcome trace={trace} />
                  <span className="row-main">{traceWords(trace)}</span>
                  <span className="row-time">
                    <Time at={trace.at} />
                  </span>
                </summary>
                <Facts trace={trace} />
              </details>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Outcome({ trace: { outcome } }: { trace: SamlTrace }) {
  return (
    <span className={`badge ${outcome === 'success' ? 'good' : 'bad'}`}>
      {outcome === 'success' ? '✓ succeeded' : '✗ failed'}
    </span>
  )
}

function Facts({ trace: { step, cause, requestId, detail } }: { trace: SamlTrace }) {
  return (
    <dl className="pairs pad">
      <dt>Last step</dt>
      <dd>
        <code>{cause ? `${step}: ${cause}` : step}</code>
      </dd>
      {Object.entries(detail).map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
      {requestId && <Fact name="requestId" value={requestId} />}
    </dl>
  )
}

function Fact({ name, value }: { name: string; value: unknown }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{typeof value === 'string' ? value : JSON.stringify(value, null, 1)}</code>
      </dd>
    </>
  )
}

/** The result of a test sign-in. The browser returns to this page after the test. */
export function TestResult() {
  const query = useQuery(samlTracesQuery)
  const trace = query.data?.traces.find(({ kind }) => kind === 'test')
  if (!trace) return null
  const mapped = trace.detail['mapped']
  const { email, role, user } =
    typeof mapped === 'object' && mapped !== null
      ? { email: '', role: '', user: '', ...mapped }
      : { email: '', role: '', user: '' }
  return (
    <div className={`note ${trace.outcome === 'success' ? 'good' : 'bad'}`} role="status">
      <p>
        <strong>
          {trace.outcome === 'success' ? 'The test sign-in works.' : 'The test sign-in failed.'}
        </strong>
      </p>
      <p>
        {trace.outcome === 'success'
          ? `${email} would come in as ${role}${user === 'new' ? ', and be new here' : ''}. Nothing was changed.`
          : traceWords(trace)}
      </p>
    </div>
  )
}
