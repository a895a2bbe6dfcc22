import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { configurationVersionQuery } from '../api/queries.ts'
import type { RunDetail, RunPlace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button } from '../parts/forms.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Scroller } from '../parts/scroller.tsx'
import { VariableDialog } from '../workspaces/variable-dialog.tsx'
import { RunViewLink } from './run-tabs.tsx'
import { snippetOf } from './snippet-of.ts'

type Diagnostic = RunDetail['diagnostics'][number]
type Props = { run: RunDetail; place: RunPlace }

/** What OpenTofu said is wrong, each with its place in the files and what can be done about it. */
export function RunDiagnostics({ run, place }: Props) {
  const [missing, setMissing] = useState<string>()
  const [set, setSet] = useState<readonly string[]>([])
  return (
    <>
      <ol className="diagnostics" aria-label="Errors and warnings">
        {run.diagnostics.map((one) => (
          <li key={`${one.stage} ${one.seq}`} className="diagnostic">
            <h3>
              <span className={`badge ${one.severity === 'error' ? 'bad' : 'warn'}`}>
                {one.severity === 'error' ? 'Error' : 'Warning'}
              </span>{' '}
              {plainText(one.summary)}
            </h3>
            {one.address && <code className="address">{plainText(one.address)}</code>}
            {one.detail && <p className="diagnostic-text">{plainText(one.detail)}</p>}
            <Snippet run={run} diagnostic={one} />
            <Steps {...{ run, place }} diagnostic={one} set={set} onSet={setMissing} />
          </li>
        ))}
      </ol>
      {missing !== undefined && (
        <VariableDialog
          workspaceId={run.workspaceId}
          variable={undefined}
          name={missing}
          onSaved={() => setSet([...set, missing])}
          onClose={() => setMissing(undefined)}
        />
      )}
    </>
  )
}

type StepsProps = Props & {
  diagnostic: Diagnostic
  set: readonly string[]
  onSet: (name: string) => void
}

function Steps({ run, place, diagnostic, set, onSet }: StepsProps) {
  const { may } = useMe()
  const { file, line, variable, stage, seq } = diagnostic
  const params = { id: run.workspaceId }
  const isSet = variable !== null && set.includes(variable)
  return (
    <div className="actions">
      {variable !== null && may('mutate_infra') && !isSet && (
        <Button onClick={() => onSet(variable)}>Set variable {plainText(variable)}…</Button>
      )}
      {file !== null && line !== null && !file.startsWith('.') && (
        <Link to="/workspaces/$id" params={params} search={{ tab: 'files', file, line }}>
          Open {plainText(file)}, line {line}
        </Link>
      )}
      <RunViewLink place={place} search={{ tab: 'log', stage, line: seq }}>
        Show in the log
      </RunViewLink>
      <span role="status">{isSet && `Variable ${plainText(variable)} is set. Run again.`}</span>
    </div>
  )
}

/** The lines around the place, of the version of the files that the run used. */
function Snippet({ run, diagnostic }: { run: RunDetail; diagnostic: Diagnostic }) {
  const { file, line, snippet } = diagnostic
  const query = useQuery({
    ...configurationVersionQuery(run.workspaceId, run.configurationVersion),
    // The API reads no snippet from a large configuration.
    enabled: file !== null && line !== null && snippet.length === 0,
  })
  if (file === null || line === null) return null
  const lines =
    snippet.length > 0 ? snippet : snippetOf(query.data?.configuration?.files[file] ?? '', line)
  // An empty file has one empty line.
  if (lines.every(({ text }) => text === '')) return null
  return (
    <Scroller className="snippet" label={`${file}, around line ${line}`}>
      <ol>
        {lines.map((one) => (
          <li key={one.line} className={one.line === line ? 'marked' : ''}>
            <span className="snippet-number">{one.line}</span>
            <code>{plainText(one.text)}</code>
          </li>
        ))}
      </ol>
    </Scroller>
  )
}
