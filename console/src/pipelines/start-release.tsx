import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { ApiError, call, mayPass, type Body } from '../api/call.ts'
import type { Pipeline } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Choices } from '../parts/choices.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Button, Field, Select, textIn, TextField } from '../parts/forms.tsx'
import { plainLine } from '../parts/plain-text.ts'
import { useStartKey } from '../runs/start-key.ts'
import { isKept, sourcesOf } from './promotable.ts'
import { applicationPipelinesQuery, newestRunsQuery } from './queries.ts'

type Kind = 'branch' | 'tag' | 'commit' | 'artifactOf'

/** The only way to start a run of an application by hand: its dialog says what is released before anything starts. */
export function StartRelease({ pipeline }: { pipeline: Pipeline }) {
  const { may } = useMe()
  const [open, setOpen] = useState(false)
  if (!may('mutate_infra') || pipeline.appGitConnectionId === null) return null
  return (
    <>
      <Button tone="primary" onClick={() => setOpen(true)}>
        Start a run…
      </Button>
      {open && <StartDialog pipeline={pipeline} onClose={() => setOpen(false)} />}
    </>
  )
}

type Props = { pipeline: Pipeline; onClose: () => void }

function StartDialog({ pipeline, onClose }: Props) {
  const navigate = useNavigate()
  const [kind, setKind] = useState<Kind>('branch')
  const { id } = pipeline
  const { key, renew } = useStartKey(`release:${id}`)
  const start = useMutation({
    mutationFn: (form: FormData) => send(id, bodyIn(form, kind), key()),
    onSuccess: ({ run }) => {
      renew()
      return navigate({ to: '/pipelines/$id/runs/$runId', params: { id, runId: run.id } })
    },
    // After a lost response the key stays: the run may have started.
    onError: (error) => {
      if (!mayPass(error)) renew()
    },
  })
  return (
    <FormDialog
      title={`Start a run of ${pipeline.name}`}
      description={<p>{whatItDoes(pipeline)}</p>}
      act="Start run"
      acting="Starting…"
      doing={start}
      onSubmit={(form) => start.mutate(form)}
      onClose={onClose}
    >
      <Choices
        name="kind"
        legend="What is released"
        options={kinds}
        value={kind}
        onChange={setKind}
      />
      <RevisionField kind={kind} pipeline={pipeline} />
      <Field
        label="Strategy (optional)"
        name="strategy"
        maxLength={100}
        autoComplete="off"
        placeholder={pipeline.strategy ?? 'that of the manifest'}
      />
      <TextField
        label="Message (optional)"
        name="message"
        rows={2}
        maxLength={500}
        hint="Why you start it. It is shown with the run."
      />
    </FormDialog>
  )
}

function RevisionField({ kind, pipeline }: { kind: Kind; pipeline: Pipeline }) {
  const text = { name: kind, autoComplete: 'off', spellCheck: false }
  switch (kind) {
    case 'branch':
      return (
        <Field
          label="Branch (optional)"
          {...text}
          maxLength={255}
          placeholder={pipeline.appBranch ?? 'default branch of the connection'}
        />
      )
    case 'tag':
      return <Field label="Tag" {...text} required maxLength={255} placeholder="v1.0" />
    case 'commit':
      return (
        <Field
          label="Commit"
          {...text}
          required
          pattern="([0-9a-fA-F]{40}|[0-9a-fA-F]{64})"
          title="All 40 or 64 digits of the commit"
          hint="All of its digits."
        />
      )
    case 'artifactOf':
      return <ArtifactFields pipeline={pipeline} />
  }
}

function whatItDoes({ targetWorkspaceName, criticality }: Pipeline): string {
  if (targetWorkspaceName === null)
    return 'It builds the application and keeps the signed artifact. The pipeline has no target, so nothing is deployed.'
  return criticality === 'production'
    ? `It builds the application, waits for a second person, and deploys to the hosts of ${targetWorkspaceName}.`
    : `It builds the application and deploys it to the hosts of ${targetWorkspaceName}.`
}

const kinds = [
  {
    value: 'branch',
    label: 'The newest commit of a branch',
    words: 'It is built when the run begins.',
  },
  { value: 'tag', label: 'A tag', words: 'The commit that it names is built.' },
  {
    value: 'commit',
    label: 'A commit',
    words: 'Exactly this one is built, wherever branches point.',
  },
  {
    value: 'artifactOf',
    label: 'The artifact of another run',
    words: 'Nothing is built: the same bytes that were tested elsewhere are deployed.',
  },
] as const

/** The runs of pipelines of the same repository whose artifact is still kept. */
function ArtifactFields({ pipeline }: { pipeline: Pipeline }) {
  const { data: all = [] } = useQuery(applicationPipelinesQuery)
  const sources = sourcesOf(pipeline, all)
  const [chosen, setChosen] = useState<number>()
  const source = sources.find(({ id }) => id === chosen) ?? sources[0]
  const query = useQuery({
    ...newestRunsQuery(source?.id ?? pipeline.id),
    enabled: source !== undefined,
  })
  const [openedMs] = useState(() => Date.now())
  const runs = (query.data ?? []).filter((run) => isKept(run, openedMs))
  return (
    <>
      <Select
        label="Pipeline"
        value={source?.id ?? ''}
        onChange={({ target }) => setChosen(Number(target.value))}
      >
        {sources.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        label="Run"
        name="artifactOf"
        required
        hint={
          query.isSuccess && runs.length === 0
            ? 'No run of this pipeline has an artifact that is still kept.'
            : 'Of the newest 50 runs, those with an artifact.'
        }
      >
        {runs.map(({ id, number, commit }) => (
          <option key={id} value={id}>
            Run #{number}
            {commit && `, ${commit.sha.slice(0, 7)} ${plainLine(commit.message ?? '')}`}
          </option>
        ))}
      </Select>
    </>
  )
}

type StartBody = Body<'runPipeline'>

function bodyIn(form: FormData, kind: Kind): StartBody {
  const typed = (name: string) => textIn(form, name).trim()
  const [strategy, value] = [typed('strategy'), typed(kind)]
  // One line, as it is shown in lists and mails.
  const message = typed('message').replaceAll(/\s+/g, ' ')
  return {
    ...(value !== '' &&
      (kind === 'artifactOf' ? { artifactOf: Number(value) } : { [kind]: value })),
    ...(strategy !== '' && { strategy }),
    ...(message !== '' && { message }),
  }
}

const mayHaveStarted =
  'A run was sent with other values before, and may have started. Look at the list of runs before you start another one.'

async function send(id: number, body: StartBody, idempotencyKey: string) {
  try {
    return await call('runPipeline', { params: { id }, body, idempotencyKey })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'idempotency_key_reused')
      throw new Error(mayHaveStarted, { cause: error })
    throw error
  }
}
