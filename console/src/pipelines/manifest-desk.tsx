import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call, type Answer } from '../api/call.ts'
import { plural } from '../api/words.ts'
import { CopyButton } from '../parts/copy-line.tsx'
import { Button, Select, TextField } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { offsetAt } from './manifest-position.ts'

const startersQuery = queryOptions({
  queryKey: ['manifest', 'starters'],
  queryFn: ({ signal }) => call('listManifestStarters', { signal }),
  staleTime: Infinity,
})

const maxLength = 262_144

/** A manifest to begin with, and a check of one before anything is pushed. */
export function ManifestDesk() {
  const query = useQuery(startersQuery)
  const starters = query.data?.starters ?? []
  const [language, setLanguage] = useState<string>()
  // Undefined while nobody has typed: the starter is shown.
  const [typed, setTyped] = useState<string>()
  const text = useRef<HTMLTextAreaElement>(null)
  const check = useMutation({
    mutationFn: (yaml: string) => call('checkManifest', { body: { yaml } }),
  })
  const starter = starters.find((one) => one.language === language) ?? starters[0]
  if (query.isPending) return <Loading what="starters" />
  const yaml = typed ?? starter?.yaml ?? ''
  const goTo = (line: number, column: number) => {
    const at = offsetAt(yaml, line, column)
    text.current?.focus()
    text.current?.setSelectionRange(at, at)
  }
  return (
    <div className="stack manifest-desk">
      <ErrorNote error={query.error} goesOn />
      <p>
        The manifest says how the application is built and deployed. Commit it to the repository as{' '}
        <code>{starter?.path ?? '.cloud-control/pipeline.yml'}</code>.
      </p>
      <StarterChoice
        starters={starters}
        value={starter?.language ?? ''}
        onChange={(chosen) => {
          setLanguage(chosen)
          setTyped(undefined)
          check.reset()
        }}
      />
      <TextField
        label="Manifest"
        inputRef={text}
        rows={16}
        spellCheck={false}
        autoComplete="off"
        className="variable-value"
        maxLength={maxLength}
        value={yaml}
        onChange={({ target }) => {
          setTyped(target.value)
          check.reset()
        }}
        hint="Paste your own to check it. Nothing is stored."
      />
      <div className="bar">
        <Button busy={check.isPending} onClick={() => check.mutate(yaml)}>
          Check the manifest
        </Button>
        <CopyButton text={yaml} what="the manifest" />
      </div>
      <ErrorNote error={check.error} />
      <div role="status">{check.data && <Verdict verdict={check.data} onGo={goTo} />}</div>
    </div>
  )
}

type StarterProps = {
  starters: Answer<'listManifestStarters'>['starters']
  value: string
  onChange: (language: string) => void
}

const StarterChoice = ({ starters, value, onChange }: StarterProps) => (
  <Select
    label="Begin with"
    value={value}
    onChange={({ target }) => onChange(target.value)}
    hint="Choosing another one replaces the text below."
  >
    {starters.map(({ language, foundBy }) => (
      <option key={language} value={language}>
        {foundBy ? `${language} (${foundBy})` : language}
      </option>
    ))}
  </Select>
)

type VerdictProps = {
  verdict: Answer<'checkManifest'>
  onGo: (line: number, column: number) => void
}

function Verdict({ verdict: { ok, errors, warnings }, onGo }: VerdictProps) {
  return (
    <div className={`note ${ok ? (warnings.length > 0 ? 'warn' : 'good') : 'bad'}`}>
      <p>
        {ok ? 'The manifest is valid.' : `The manifest has ${plural(errors.length, 'error')}.`}
        {warnings.length > 0 && ` ${plural(warnings.length, 'warning')}.`}
      </p>
      {[...errors, ...warnings].length > 0 && (
        <ul className="manifest-faults">
          {[...errors, ...warnings].map((fault) => (
            <li key={`${fault.line}:${fault.column}:${fault.message}`}>
              <button
                type="button"
                className="link num"
                onClick={() => onGo(fault.line, fault.column)}
              >
                Line {fault.line}, column {fault.column}
              </button>{' '}
              {fault.path !== '' && <code>{fault.path}</code>} <bdi>{fault.message}</bdi>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
