import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent, type KeyboardEvent } from 'react'
import { call } from '../api/call.ts'
import type { RunPlace } from '../api/types.ts'
import { useMe } from '../app/session.ts'
import { Button, TextField } from '../parts/forms.tsx'
import { ErrorNote, Loading } from '../parts/notes.tsx'
import { plainText } from '../parts/plain-text.ts'
import { Time } from '../parts/time.tsx'
import { UnsavedGuard } from '../parts/unsaved-guard.tsx'
import { useOnce } from '../parts/use-once.ts'
import { runCommentsQuery } from './queries.ts'

/** What people said of a run, oldest first, and the field for the next comment. */
export function RunComments({ place }: { place: RunPlace }) {
  const query = useQuery(runCommentsQuery(place))
  const { may } = useMe()
  if (query.isPending) return <Loading what="comments" />
  const comments = query.data?.comments ?? []
  return (
    <>
      <ErrorNote error={query.error} goesOn />
      {comments.length === 0 && !query.error && (
        <p className="dim">Nobody has commented on this run.</p>
      )}
      <ol className="comments" aria-label="Comments">
        {comments.map(({ id, user, text, createdAt }) => (
          <li key={id}>
            <p className="comment-head">
              <strong>{user}</strong>{' '}
              <span className="dim">
                <Time at={createdAt} />
              </span>
            </p>
            <p className="comment-text">
              <bdi>{plainText(text)}</bdi>
            </p>
          </li>
        ))}
      </ol>
      {may('mutate_infra') ? (
        <NewComment place={place} />
      ) : (
        <p className="dim">Your role reads comments. Who may start runs writes them.</p>
      )}
    </>
  )
}

function NewComment({ place }: { place: RunPlace }) {
  const queryClient = useQueryClient()
  const [text, setText] = useState('')
  const add = useMutation({
    mutationFn: (sent: string) => {
      const asked = { params: { id: place.id, runId: place.runId }, body: { text: sent.trim() } }
      return place.kind === 'pipeline'
        ? call('commentPipelineRun', asked)
        : call('commentWorkspaceRun', asked)
    },
    onSuccess: async (_answer, sent) => {
      // What was typed since is the next comment.
      setText((now) => (now === sent ? '' : now))
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: runCommentsQuery(place).queryKey }),
        queryClient.invalidateQueries({ queryKey: ['run', place.kind, place.id, place.runId] }),
      ])
    },
  })
  const once = useOnce(add)
  const isEmpty = text.trim() === ''
  const send = () => {
    if (!isEmpty) once(() => add.mutate(text))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const byKey = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label="Comment"
        maxLength={4_000}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={byKey}
        hint="Everybody who can see the run reads it, and it cannot be changed. It decides nothing."
      />
      <ErrorNote error={add.error} />
      <div>
        <Button type="submit" disabled={isEmpty} busy={add.isPending}>
          Add the comment
        </Button>
      </div>
      <UnsavedGuard unsaved={!isEmpty} what="The words of your comment" />
    </form>
  )
}
